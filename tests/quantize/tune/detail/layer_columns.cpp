#include <graft/quantize/tune/detail/layer_columns.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/model.hpp>
#include <graft/testing/text.hpp>

using namespace graft;
using detail::LayerColumns;
using detail::layer_columns;

namespace {

/// The largest difference of the weight times the columns from the outputs, in rows of the outputs.
double difference(const std::string& text, std::size_t groups, std::size_t most, std::size_t positions) {
  Model model = graph(text);
  const Graph& g = model.graph();
  const Node& node = *g.find("y")->producer();
  const Tensor x = *g.find("x")->constant(), w = *g.find("w")->constant();
  const Tensor y = Evaluator(g).run({}, {"y"}).front();
  std::vector<std::size_t> rows(static_cast<std::size_t>(node.is("Conv") ? y.dims()[1] : y.dims().back()));
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const LayerColumns columns = layer_columns(node, x, y, w.dims(), rows, most);
  const std::vector<std::size_t> two{2, 0};
  const LayerColumns some = layer_columns(node, x, y, w.dims(), two, most);
  REQUIRE(some.outputs.rows() == 2);
  CHECK(some.inputs == columns.inputs);
  CHECK(some.outputs.row(0) == columns.outputs.row(2));
  CHECK(some.outputs.row(1) == columns.outputs.row(0));
  REQUIRE(static_cast<std::size_t>(columns.outputs.cols()) == positions);
  const Eigen::Index k = columns.inputs.rows() / static_cast<Eigen::Index>(groups), m = columns.outputs.rows();
  const bool is_transposed = !node.is("Conv") && node.attr<std::int64_t>("transB").value_or(0) == 0;
  double largest = 0;
  for (Eigen::Index row = 0; row < m; ++row) {
    const Eigen::Index group = row / (m / static_cast<Eigen::Index>(groups));
    Eigen::RowVectorXf weights(k);
    for (Eigen::Index i = 0; i < k; ++i)
      weights(i) = w.data<float>()[static_cast<std::size_t>(is_transposed ? i * m + row : row * k + i)];
    const Eigen::RowVectorXf got = weights * columns.inputs.middleRows(group * k, k);
    largest = std::max<double>(largest, (got - columns.outputs.row(row)).cwiseAbs().maxCoeff());
  }
  return largest;
}

}  // namespace

TEST_CASE("columns times the weight are the outputs", "[quantize]") {
  const std::string conv = "x = f32[2,4,7,6] random; w = f32[6,2,3,2] random; ";
  for (const char* const attributes :
       {"group=2", "group=2, strides=[2,1], pads=[1,0,2,1]", "group=2, dilations=[2,3], pads=[2,2,1,1]",
        "group=2, strides=[2,2], auto_pad=\"SAME_UPPER\"", "group=2, strides=[2,2], auto_pad=\"SAME_LOWER\"",
        "group=2, auto_pad=\"VALID\""}) {
    INFO(attributes);
    Model model = graph(conv + "y = Conv(x, w) {" + attributes + "}");
    const Tensor y = Evaluator(model.graph()).run({}, {"y"}).front();
    const auto all = static_cast<std::size_t>(y.size() / y.dims()[1]);
    CHECK(difference(conv + "y = Conv(x, w) {" + attributes + "}", 2, 1000, all) < 1e-5);
    CHECK(difference(conv + "y = Conv(x, w) {" + attributes + "}", 2, 5, 5) < 1e-5);
  }
  CHECK(difference("x = f32[1,3,9] random; w = f32[3,1,4] random; y = Conv(x, w) {group=3, strides=[2]}", 3, 9, 3) <
        1e-5);
  CHECK(difference("x = f32[2,3,5] random; w = f32[5,4] random; y = MatMul(x, w)", 1, 100, 6) < 1e-5);
  CHECK(difference("x = f32[7,5] random; w = f32[4,5] random; y = Gemm(x, w) {transB=1}", 1, 4, 4) < 1e-5);
}

TEST_CASE("columns come to other ranks as they are, and other messages are refused", "[quantize]") {
  const LayerColumns columns{Eigen::MatrixXf::Random(3, 4), Eigen::MatrixXf::Random(2, 4), "it is late"};
  LayerColumns got;
  const std::string bytes = to_bytes(columns);
  from_bytes(bytes, got);
  CHECK(got.inputs == columns.inputs);
  CHECK(got.outputs == columns.outputs);
  CHECK(got.why_not == columns.why_not);
  from_bytes(to_bytes(LayerColumns()), got);
  CHECK(got.inputs.size() == 0);
  CHECK(got.why_not.empty());
  for (std::size_t length = 0; length < bytes.size(); ++length)
    CHECK_THROWS_WITH(from_bytes(bytes.substr(0, length), got), "the message of another rank cannot be read");
  const std::size_t dims = sizeof(std::uint64_t) + columns.why_not.size() + sizeof(std::uint64_t);
  for (const std::int64_t wrong : {std::int64_t{-3}, std::int64_t{0}, std::int64_t{5}, std::int64_t{1} << 62}) {
    std::string other = bytes;
    std::memcpy(other.data() + dims, &wrong, sizeof wrong);
    CHECK_THROWS_WITH(from_bytes(other, got), "the message of another rank cannot be read");
  }
}
