#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <graft/quantize.hpp>

#include <graft_quantize_page.hpp>

#include "graft-quantize/drawing.hpp"
#include "graft-quantize/layers.hpp"
#include "graft-quantize/report_json.hpp"
#include "support/writable.hpp"

/// The data of the page: the report, a row for each layer, histograms, and both graphs.
inline nlohmann::json page_json(const graft::Graph& quantized, const Drawing& floats, const Outcome& outcome,
                                const graft::Facts& facts, const Options& options) {
  Layers layers(quantized, outcome, facts.find<graft::Ranges>(), options);
  nlohmann::json page = to_json(outcome);
  page["placement"] = name_of(options.quantize.static_options().placement);
  page["graphs"] = {{"before", floats.json(layers)}, {"after", Drawing(quantized).json(layers)}};
  page["layers"] = layers.rows();
  if (const auto* const seen = facts.find<graft::Statistics<graft::Histogram>>())
    for (nlohmann::json& layer : page["layers"]) {
      const graft::Histogram* const histogram = seen->find(layer["tensor"].get_ref<const std::string&>());
      if (histogram != nullptr && layer["state"] != "merged") layer["histogram"] = to_json(*histogram);
    }
  return page;
}

/// Escapes the text of a script element, so that no name in it can end the element or begin a comment.
inline std::string script_text(const nlohmann::json& data) {
  const bool ascii_alone = true;
  std::string text;
  for (const char c : data.dump(-1, ' ', ascii_alone, nlohmann::json::error_handler_t::replace))
    c == '<' ? text += "\\u003c" : text += c;
  return text;
}

inline void save_page(const nlohmann::json& data, const std::filesystem::path& path) {
  const std::string_view mark = "@report@";
  std::string page = page_template;
  graft::write_whole(path.string(), page.replace(page.find(mark), mark.size(), script_text(data)));
}
