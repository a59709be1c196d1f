#pragma once
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <graft/graph/file_aside.hpp>
#include <graft/quantize.hpp>

#include <graft_quantize_page.hpp>

#include "graft-quantize/drawing.hpp"
#include "graft-quantize/layers.hpp"

/// What the page shows: the report, with a row for each layer, histograms, and both graphs.
inline nlohmann::json page_json(const graft::Graph& quantized, const Drawing& floats, const Outcome& outcome,
                                const graft::Facts& facts, const Options& options) {
  const Layers layers(quantized, outcome, facts.find<graft::Ranges>(), options);
  nlohmann::json page = to_json(outcome);
  page["placement"] = options.placement_name;
  page["layers"] = layers.rows();
  page["graphs"] = {{"before", floats.json(layers)}, {"after", Drawing(quantized).json(layers)}};
  page["histograms"] = nlohmann::json::object();
  if (const auto* const seen = facts.find<graft::Statistics<graft::Histogram>>())
    for (const nlohmann::json& layer : layers.rows()) {
      const std::string& tensor = layer["tensor"].get_ref<const std::string&>();
      const graft::Histogram* const histogram = seen->find(tensor);
      if (histogram != nullptr) page["histograms"][tensor] = to_json(*histogram);
    }
  return page;
}

/// The text of a script element: no name in it can end the element or begin a comment there.
inline std::string script_text(const nlohmann::json& data) {
  const bool ascii_alone = true;
  std::string text;
  for (const char c : data.dump(-1, ' ', ascii_alone, nlohmann::json::error_handler_t::replace))
    c == '<' ? text += "\\u003c" : text += c;
  return text;
}

inline void save_page(const nlohmann::json& data, const std::filesystem::path& path) {
  constexpr std::string_view page = page_template, mark = "@report@";
  const std::size_t place = page.find(mark);
  graft::FileAside aside(path);
  std::ofstream file(aside.path(), std::ios::binary);
  file << page.substr(0, place) << script_text(data) << page.substr(place + mark.size());
  file.close();
  if (!file) throw graft::Error("cannot be written").file(path.string());
  aside.publish();
}
