// Table III of the QONNX paper, from the layers of its networks, and what today's tool counts.
#include <algorithm>
#include <map>
#include <string>

#include <catch2/catch.hpp>

#include <graft/graph.hpp>
#include <graft/qonnx/cost/inference_cost.hpp>
#include <graft/qonnx/datatype/infer_data_types.hpp>

#include "topologies/quantized_topologies.hpp"

using graft::qonnx::Cost;

namespace {

struct Row {
  double bops;          ///< of all products
  double macs;          ///< of the products of the most common types
  double weights;       ///< of the most common type
  double weight_bits;   ///< of all weights
  double todays_bops;   ///< as the tool counts now, without the discount for zeros
  double todays_macs;
};

const std::map<std::string, Row> published{
    {"tfc_w1a1", {59008, 59008, 59008, 59008, 59008, 59008}},
    {"tfc_w1a2", {118016, 59008, 59008, 59008, 118016, 59008}},
    {"tfc_w2a2", {236032, 59008, 59008, 118016, 236032, 59008}},
    {"cnv_w1a1", {107672576, 57906176, 1542848, 1542848, 70347776, 59461376}},
    {"cnv_w1a2", {165578752, 57906176, 1542848, 1542848, 128253952, 59461376}},
    {"cnv_w2a2", {331157504, 57906176, 1542848, 3085696, 256507904, 59461376}},
    {"mobilenet_w4a4", {74070028288, 557381408, 4208224, 16839808, 11757998592, 568026752}},
};

}  // namespace

TEST_CASE("the costs of the paper's networks are the published ones", "[qonnx]") {
  for (const QuantizedTopology& topology : quantized_topologies()) {
    INFO(topology.name);
    const Row& row = published.at(topology.name);
    graft::Model model = topology.build();
    const graft::qonnx::DataTypes types = graft::qonnx::infer_data_types(model.graph());
    const Cost cost =
        graft::qonnx::inference_cost(model.graph(), types,
                                     {.discount_sparsity = false, .scaled_activations_as_float = true})
            .total;
    CHECK(cost.total_bops() == row.bops);
    double most = 0, weights = 0;
    for (const auto& [operands, macs] : cost.macs) most = std::max(most, macs);
    for (const auto& [type, count] : cost.weights) weights = std::max(weights, count);
    CHECK(most == row.macs);
    CHECK(weights == row.weights);
    CHECK(cost.weight_bits() == row.weight_bits);

    const Cost today =
        graft::qonnx::inference_cost(model.graph(), types, {.discount_sparsity = false}).total;
    CHECK(today.total_bops() == row.todays_bops);
    CHECK(today.total_macs() == row.todays_macs);
  }
}
