#include <graft/quantize/tune/fidelity.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

Tensor tensor(const Dims& dims, const std::vector<float>& values) { return Tensor::of<float>(dims, values); }

Fidelity of_one(const Tensor& x, const Tensor& q) {
  FidelityMeter meter;
  meter.add(std::vector<Tensor>{x}, std::vector<Tensor>{q});
  return meter.fidelity();
}

}  // namespace

TEST_CASE("the cosine is one between vectors, the mean over samples", "[quantize]") {
  CHECK(of_one(tensor({1, 2}, {1, 0}), tensor({1, 2}, {1, 1})).cosine == Approx(std::sqrt(0.5)));
  CHECK(of_one(tensor({2}, {0.1f, 0.7f}), tensor({2}, {0.1f, 0.7f})).cosine == 1);
  CHECK(of_one(tensor({2}, {0, 0}), tensor({2}, {0, 0})).cosine == 1);
  CHECK(of_one(tensor({2}, {0, 0}), tensor({2}, {1, 0})).cosine == 0);
  CHECK(of_one(tensor({2}, {1, 0}), tensor({2}, {NAN, 0})).cosine == 0);
  FidelityMeter meter;
  meter.add(std::vector{tensor({2}, {100, 0})}, std::vector{tensor({2}, {100, 0})});
  meter.add(std::vector{tensor({2}, {1, 0})}, std::vector{tensor({2}, {0, 1})});
  CHECK(meter.fidelity().cosine == Approx(0.5));
  CHECK(meter.fidelity().decibels == Approx(10 * std::log10(10001 / 2.0)));
}

TEST_CASE("the cosine of outputs of several rows is the mean over these", "[quantize]") {
  CHECK(of_one(tensor({2, 2}, {100, 0, 1, 0}), tensor({2, 2}, {100, 0, 0, 1})).cosine == Approx(0.5));
  // Of tokens, where a vector for the whole sample would hide the short one.
  CHECK(of_one(tensor({1, 2, 2}, {100, 0, 1, 0}), tensor({1, 2, 2}, {100, 0, 0, 1})).cosine == Approx(0.5));
  // A map is one vector.
  CHECK(of_one(tensor({1, 2, 1, 2}, {100, 0, 1, 0}), tensor({1, 2, 1, 2}, {100, 0, 0, 1})).cosine ==
        Approx(10000 / 10001.0));
}

TEST_CASE("NaN in place of a number is lost, and equal where both have it", "[quantize]") {
  const float nan = NAN, inf = INFINITY;
  const Fidelity lost{-INFINITY, 0, 0, 0};
  CHECK(of_one(tensor({1, 2}, {2, 1}), tensor({1, 2}, {nan, 1})) == lost);
  CHECK(of_one(tensor({1, 2}, {2, 1}), tensor({1, 2}, {2, nan})) == lost);  // though 2 is still the greatest
  CHECK(of_one(tensor({1, 2}, {2, 1}), tensor({1, 2}, {nan, nan})) == lost);
  CHECK(of_one(tensor({1, 3}, {nan, 1, 2}), tensor({1, 3}, {nan, 1, 2})) == Fidelity());
  CHECK(of_one(tensor({1, 3}, {nan, 1, 2}), tensor({1, 3}, {nan, 2, 1})).agreement == 0);
  CHECK(of_one(tensor({1, 3}, {nan, 1, 2}), tensor({1, 3}, {0, 1, 2})).cosine == 0);
  CHECK(of_one(tensor({2}, {nan, nan}), tensor({2}, {nan, nan})) == Fidelity());
  CHECK(of_one(tensor({3}, {-inf, 1, 2}), tensor({3}, {-inf, 1, 2})) == Fidelity());
  CHECK(of_one(tensor({3}, {-inf, 1, 2}), tensor({3}, {inf, 1, 2})).cosine == 0);
  // Of tokens, the row of one.
  CHECK(of_one(tensor({1, 2, 2}, {1, 0, 0, 1}), tensor({1, 2, 2}, {1, 0, nan, 1})).cosine == 0.5);
  CHECK(of_one(tensor({1, 2, 2}, {1, 0, 0, 1}), tensor({1, 2, 2}, {1, 0, nan, 1})).agreement == 0.5);
}

TEST_CASE("embeddings with NaN have no neighbour, and are nobody's", "[quantize]") {
  using Rows = std::vector<std::vector<float>>;
  const auto agreement = [](const Rows& rows, const Rows& others) {
    FidelityMeter meter({Decision::nearest});
    for (std::size_t i = 0; i < rows.size(); ++i)
      meter.add(std::vector{tensor({1, 2}, rows[i])}, std::vector{tensor({1, 2}, others[i])});
    return meter.fidelity().agreement;
  };
  const float nan = NAN;
  CHECK(agreement({{1, 0}, {9, 1}, {0, 2}, {1, 3}}, {{1, 0}, {9, 1}, {nan, 2}, {1, 3}}) == 0.5);
  CHECK(agreement({{1, 0}, {9, 1}, {nan, 2}, {9, 2}}, {{1, 0}, {9, 1}, {nan, 2}, {9, 2}}) == 1);
}

TEST_CASE("embeddings agree where their nearest neighbours are the same", "[quantize]") {
  using Rows = std::vector<std::vector<float>>;
  const auto agreement = [](const Rows& rows, const Rows& others) {
    FidelityMeter meter({Decision::nearest});
    for (std::size_t i = 0; i < rows.size(); ++i)
      meter.add(std::vector{tensor({1, 2}, rows[i])}, std::vector{tensor({1, 2}, others[i])});
    return meter.fidelity().agreement;
  };
  const Rows rows{{1, 0}, {9, 1}, {0, 2}, {1, 3}};
  CHECK(agreement(rows, {{5, 0}, {9, 0.5f}, {0, 1}, {1, 4}}) == 1);  // other lengths, the same neighbours
  CHECK(agreement(rows, {{1, 0}, {1, 4}, {9, 1}, {0, 2}}) == 0);
  // Between two there is no choice: then classes count.
  CHECK(agreement({{1, 0}, {0, 1}}, {{1, 0}, {1, 0}}) == 0.5);
}

TEST_CASE("embeddings are wide outputs of models that read integers", "[quantize]") {
  using Decisions = std::vector<Decision>;
  const auto embeddings = [](const std::string& text) { return output_decisions(graph(text).graph()); };
  const std::string pooled = "e = ReduceMean(Gather(f32[9,64] random, i) {axis=0}) {axes=[1], keepdims=0};";
  CHECK(embeddings("i: i64[B,S];" + pooled + "return e") == Decisions{Decision::nearest});
  CHECK(embeddings("i: i64[B,S];" + pooled + "y = Softmax(e); return e, y") ==
        Decisions{Decision::nearest, Decision::greatest});
  const std::string classified = "i: i64[B,S];" + pooled + "h = MatMul(e, f32[64,77] random);";
  CHECK(embeddings(classified + "return h") == Decisions{Decision::greatest});
  CHECK(embeddings(classified + "y = Add(h, f32[77] random); return y") == Decisions{Decision::greatest});
  CHECK(embeddings(classified + "y = Tanh(h); return y") == Decisions{Decision::nearest});
  CHECK(embeddings("i: i64[B,S]; x: f32[1];" + pooled + "y = Add(e, x); return y") == Decisions{Decision::greatest});
  CHECK(embeddings("i: i64[B,S]; t = Gather(f32[9,64] random, i) {axis=0}; return t") == Decisions{Decision::greatest});
}

TEST_CASE("what decides nothing has no agreement", "[quantize]") {
  FidelityMeter meter({Decision::none});
  meter.add(std::vector{tensor({1, 2}, {1, 2})}, std::vector{tensor({1, 2}, {2, 1})});
  meter.add(std::vector{tensor({1, 2}, {1, 2})}, std::vector{tensor({1, 3}, {2, 1, 0})});
  CHECK(meter.fidelity().agreement == 1);
  CHECK(meter.fidelity().cosine == 0.4);
}

TEST_CASE("decisions are along the classes, wherever they lie", "[quantize]") {
  CHECK(of_one(tensor({2, 2}, {1, 2, 4, 3}), tensor({2, 2}, {1, 2, 3, 4})).agreement == 0.5);
  CHECK(of_one(tensor({1, 2, 1, 1}, {1, 2}), tensor({1, 2, 1, 1}, {2, 1})).agreement == 0);
  // [N, C, H, W]: the second of two pixels is of the other class.
  CHECK(of_one(tensor({1, 2, 1, 2}, {1, 1, 0, 0}), tensor({1, 2, 1, 2}, {1, 0, 0, 1})).agreement == 0.5);
  CHECK(of_one(tensor({1, 2, 2}, {1, 0, 1, 0}), tensor({1, 2, 2}, {1, 0, 0, 1})).agreement == 0.5);  // along the last
  CHECK(of_one(tensor({3}, {1, 5, 2}), tensor({3}, {1, 2, 5})).agreement == 0);
  CHECK(of_one(tensor({3}, {1, 5, 2}), tensor({3}, {5, 5, 2})).agreement == 0);  // of several the first
  CHECK(of_one(tensor({}, {1}), tensor({}, {7})).agreement == 1);
  CHECK(of_one(tensor({0, 3}, {}), tensor({0, 3}, {})).agreement == 1);
}

TEST_CASE("integers are decisions, and no signal", "[quantize]") {
  const Tensor x = Tensor::of<std::int64_t>({1, 4}, {281, 0, 7, 7});
  const Tensor q = Tensor::of<std::int64_t>({1, 4}, {282, 0, 7, 999});
  CHECK(of_one(x, q) == Fidelity{std::numeric_limits<double>::infinity(), 1, 0.5});
  CHECK(of_one(x, x) == Fidelity());
  CHECK(of_one(Tensor::of<bool>({2}, {true, false}), Tensor::of<bool>({2}, {true, true})).agreement == 0.5);
  CHECK_THROWS_AS(of_one(x, Tensor::of<std::int32_t>({1, 4}, {281, 0, 7, 7})), Error);
}

TEST_CASE("the least cosine is that of the worst sample, over its rows", "[quantize]") {
  FidelityMeter meter;
  CHECK(meter.add(std::vector{tensor({2, 2}, {1, 0, 0, 1})}, std::vector{tensor({2, 2}, {1, 0, 1, 0})}) == 0.5);
  CHECK(meter.add(std::vector{tensor({2, 2}, {1, 0, 0, 1})}, std::vector{tensor({2, 2}, {1, 0, 0, 1})}) == 1);
  CHECK(meter.fidelity().cosine == 0.75);
  CHECK(meter.fidelity().least_cosine == 0.5);
  CHECK(Fidelity{.cosine = 0.99, .least_cosine = 0.94}.is_poor_somewhere());
  CHECK_FALSE(Fidelity{.cosine = 0.99, .least_cosine = 0.96}.is_poor_somewhere());
}

TEST_CASE("of several outputs the worst figure counts", "[quantize]") {
  FidelityMeter meter;
  const Tensor whole = Tensor::of<std::int64_t>({2}, {3, 4});
  meter.add(std::vector{tensor({1}, {1}), whole}, std::vector{tensor({1}, {0.5f}), whole});
  CHECK(meter.fidelity().decibels == Approx(10 * std::log10(4.0)));
  CHECK(meter.fidelity().cosine == 1);
  CHECK(FidelityMeter().fidelity() == Fidelity());
}

TEST_CASE("an output of other dims, as values give them to some operators, is other in all", "[quantize]") {
  CHECK(of_one(tensor({1, 2}, {3, 4}), tensor({1, 3}, {3, 4, 5})) == Fidelity{0, 0, 0, 0});
  const Tensor found = Tensor::of<std::int64_t>({3}, {1, 2, 3});
  CHECK(of_one(found, Tensor::of<std::int64_t>({2}, {1, 2})).agreement == 0);
}

TEST_CASE("outputs that cannot be compared are an error", "[quantize]") {
  FidelityMeter meter;
  CHECK_THROWS_WITH(meter.add(std::vector{tensor({1}, {1})}, std::vector{Tensor::of<std::int64_t>({1}, {1})}),
                    Catch::Contains("is of i64, in float of f32"));
  CHECK_THROWS_WITH(meter.add(std::vector{tensor({1}, {1})}, std::vector<Tensor>{}), Catch::Contains("different"));
}

TEST_CASE("a goal is met where every figure that it names is", "[quantize]") {
  CHECK(FidelityGoal().is_met_by({-std::numeric_limits<double>::infinity(), -1, 0}));
  const Fidelity reached{20, 0.9, 0.8};
  CHECK(FidelityGoal{.agreement = 0.8}.is_met_by(reached));
  CHECK_FALSE(FidelityGoal{.agreement = 0.81}.is_met_by(reached));
  CHECK_FALSE(FidelityGoal{.agreement = 0.8, .cosine = 0.91}.is_met_by(reached));
  CHECK_FALSE(FidelityGoal{.decibels = 21}.is_met_by(reached));
  CHECK(to_string(reached) == "agreement 0.8000, cosine 0.9000, 20.0 dB");
}

TEST_CASE("what is less than 1 does not read 1", "[quantize]") {
  CHECK(to_string(Fidelity{60, 0.99999987, 1}) == "agreement 1.0000, cosine 0.9999999, 60.0 dB");
}

TEST_CASE("the greatest cosine is that of samples so far, and of equal ones to come", "[quantize]") {
  const std::vector sample{tensor({1, 2}, {1, 0}), tensor({1, 2, 2}, {1, 0, 0, 1}), tensor({}, {3})};
  std::vector<std::size_t> rows;
  for (int i = 0; i < 4; ++i) FidelityMeter::count_rows(sample, rows);
  CHECK(rows == std::vector<std::size_t>{4, 8, 4});
  FidelityMeter meter;
  CHECK(meter.greatest_cosine(rows) == 1);
  meter.add(sample, std::vector{tensor({1, 2}, {0, 1}), tensor({1, 2, 2}, {1, 0, 0, 1}), tensor({}, {3})});
  CHECK(meter.greatest_cosine(rows) == 0.75);
  meter.add(sample, std::vector{tensor({1, 2}, {1, 0}), tensor({1, 2, 2}, {0, 1, 1, 0}), tensor({}, {3})});
  meter.add(sample, std::vector{tensor({1, 2}, {1, 0}), tensor({1, 2, 2}, {0, 1, 1, 0}), tensor({}, {3})});
  CHECK(meter.greatest_cosine(rows) == 0.5);
  meter.add(sample, sample);
  CHECK(meter.greatest_cosine(rows) == meter.fidelity().cosine);
  // Where an output has other dims all rows that it has in float are lost.
  FidelityMeter other;
  other.add(sample, std::vector{tensor({1, 2}, {1, 0}), tensor({1, 1, 2}, {1, 0}), tensor({}, {3})});
  CHECK(other.greatest_cosine(rows) == 0.75);
}

TEST_CASE("integers and truth values have no rows", "[quantize]") {
  std::vector<std::size_t> rows;
  const std::vector sample{Tensor::of<std::int64_t>({2}, {1, 2})};
  FidelityMeter::count_rows(sample, rows);
  CHECK(rows == std::vector<std::size_t>{0});
  FidelityMeter meter;
  meter.add(sample, std::vector{Tensor::of<std::int64_t>({2}, {1, 3})});
  CHECK(meter.greatest_cosine(rows) == 1);
}
