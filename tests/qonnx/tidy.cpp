// For the comparison with the Python package: cleans models up, and does what else a line of words orders.
//   tidy MODEL OUT PASS...       one of the passes below, in this order
//   tidy MODEL OUT prune WEIGHT CHANNEL...
#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <graft/graph/model.hpp>
#include <graft/lower/gemm.hpp>
#include <graft/qonnx.hpp>

namespace {

const std::map<std::string, std::function<graft::Pass()>>& passes() {
  using namespace graft;
  static const std::map<std::string, std::function<Pass()>> all{
      {"cleanup", [] { return qonnx::cleanup(); }},
      {"cleanup_renamed", [] { return qonnx::cleanup({.rename_signature = true}); }},
      {"cleanup_folded", [] { return qonnx::cleanup({.keep_quantizers = false}); }},
      {"cleanup_batch_4", [] { return qonnx::cleanup({.batch = 4}); }},
      {"extract_bias", [] { return qonnx::extract_bias(); }},
      {"batch_norms_to_affine", [] { return qonnx::batch_norms_to_affine(); }},
      {"subs_to_adds", [] { return qonnx::subs_to_adds(); }},
      {"divs_to_muls", [] { return qonnx::divs_to_muls(); }},
      {"gemms_to_matmul_adds", [] { return gemms_to_matmul_adds(); }},
      {"dequantize_down", [] { return qonnx::dequantize_down(); }},
      {"to_channels_last", [] { return qonnx::to_channels_last(); }},
      {"to_4d", [] { return qonnx::to_4d(); }},
  };
  return all;
}

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string> given(words + 1, words + count);
  try {
    graft::Model model = graft::Model::load(given.at(0));
    if (given.at(2) == "prune") {
      std::set<std::int64_t> channels;
      for (std::size_t i = 4; i < given.size(); ++i) channels.insert(std::stoll(given[i]));
      std::cout << graft::qonnx::prune_channels({{given.at(3), channels}}).run(model);
    } else {
      for (std::size_t i = 2; i < given.size(); ++i) std::cout << passes().at(given[i])().run(model);
    }
    model.save(given.at(1));
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
