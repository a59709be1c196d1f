#include <graft/quantize/cache/quantize_cache.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/verify.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/weights/quantize_weights_blockwise.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

const Target& newer = targets::at_release(targets::ort_cpu_x64, {1, 27});

const std::string head =
    "opset 21; q: f32[B,S,8]; k: f32[B,S,4]; v: f32[B,S,4]; pk: f32[B,2,P,2]; pv: f32[B,2,P,2]; n: i32[B]; m: i32[]; ";
std::string decoder(const std::string& more = "", const std::string& attributes = "") {
  return head + "y, a, b = com.microsoft::GroupQueryAttention(q, k, v, pk, pv, n, m" + more +
         ") {num_heads=4, kv_num_heads=2" + attributes + "}; return y, a, b";
}

/// Two steps. Of key head 0 the features are 1, -3 and -2, 1; of head 1 they are 0.5, 0.25 and 0, 0. Caches are empty.
Feeds steps(DType dtype = DType::f32, std::int64_t width = 2) {
  return {{"q", Tensor::of<float>({1, 2, 8}, {1, 0, 0.5, 1, -1, 2, 1, 1, 0, 1, 1, 0, 2, 1, 0, -1})},
          {"k", Tensor::of<float>({1, 2, 4}, {1, -2, 0.5, 0, -3, 1, 0.25, 0})},
          {"v", Tensor::of<float>({1, 2, 4}, {4, 1, -1, 2, 2, 1, 1, -1})},
          {"pk", Tensor(dtype, {1, 2, 0, width})},
          {"pv", Tensor(dtype, {1, 2, 0, width})},
          {"n", Tensor::of<std::int32_t>({1}, {1})},
          {"m", Tensor::of<std::int32_t>({}, {2})}};
}

Pass cache(int bits, const std::vector<Feeds>& samples) { return quantize_cache(newer, bits, samples); }

std::vector<float> scales_of(const Model& model, std::size_t i) {
  return node_making(model, "y").input(i)->constant()->to<float>();
}

/// The notes of the pass, which must leave the model as it is.
std::string why_left(const std::string& text) {
  Model model = graph(text);
  const std::string before = model.serialize();
  const Report report = cache(8, {steps()}).run(model);
  CHECK(report.changes == 0);
  CHECK(model.serialize() == before);
  CHECK(why_caches_stay(model.graph(), newer, 8) == report.notes.front());
  std::string notes;
  for (const std::string& note : report.notes) notes += note;
  return notes;
}

}  // namespace

TEST_CASE("a cache becomes int8, with a scale for each feature of each head", "[cache]") {
  Model model = graph(decoder());
  const Report report = cache(8, {steps()}).run(model);
  CHECK(report.changes == 1);
  CHECK(report.notes == std::vector<std::string>{"pk, a, pv, b: i8 [B,2,P,2], were f32"});
  CHECK(verify(model).empty());
  for (const char* const name : {"pk", "pv"}) CHECK(to_string(*model.graph().find(name)->type()) == "i8[B,2,P,2]");
  for (const char* const name : {"a", "b"}) CHECK(model.graph().find(name)->dtype() == DType::i8);
  const Node& node = node_making(model, "y");
  CHECK(node.attr<std::string>("k_quant_type") == "PER_CHANNEL");
  CHECK(node.attr<std::string>("v_quant_type") == "PER_CHANNEL");
  CHECK(node.attr<std::int64_t>("kv_cache_bit_width") == 8);
  CHECK(node.input(12)->shape() == Shape(Dims{1, 2, 1, 2}));
  CHECK(scales_of(model, 12) == std::vector<float>{3.0F / 127, 2.0F / 127, 0.5F / 127, 0.5F / 127});
  CHECK(scales_of(model, 13) == std::vector<float>{4.0F / 127, 1.0F / 127, 1.0F / 127, 2.0F / 127});
}

TEST_CASE("a quantized cache is written, read and passed on", "[cache]") {
  Model floats = graph(decoder());
  const std::vector<Tensor> wanted = Evaluator(floats.graph()).run(steps());
  for (const int bits : {8, 4}) {
    Model model = graph(decoder());
    cache(bits, {steps()}).run(model);
    const std::vector<Tensor> found =
        Evaluator(model.graph()).run(bits == 8 ? steps(DType::i8) : steps(DType::u8, 1));
    const std::vector<float> near = found[0].to<float>(), exact = wanted[0].to<float>();
    for (std::size_t i = 0; i < exact.size(); ++i) CHECK(near[i] == Approx(exact[i]).margin(bits == 8 ? 0.03 : 0.5));
    if (bits == 8) CHECK(found[1].to<int>() == std::vector<int>{42, -127, -127, 64, 127, 0, 64, 0});
    // 7 / 3, -7, -7, a little less than 3.5, 7, 0, a little less than 3.5, and 0, each 8 above.
    if (bits == 4) CHECK(found[1].to<int>() == std::vector<int>{0x1a, 0xb1, 0x8f, 0x8b});

    const std::vector<Tensor> next = Evaluator(model.graph()).run({{"q", Tensor(DType::f32, {1, 1, 8})},
                                                                   {"k", Tensor(DType::f32, {1, 1, 4})},
                                                                   {"v", Tensor(DType::f32, {1, 1, 4})},
                                                                   {"pk", found[1]},
                                                                   {"pv", found[2]},
                                                                   {"n", Tensor::of<std::int32_t>({1}, {2})},
                                                                   {"m", Tensor::of<std::int32_t>({}, {3})}});
    if (bits == 8) CHECK(next[1].to<int>() == std::vector<int>{42, -127, -127, 64, 0, 0, 127, 0, 64, 0, 0, 0});
    if (bits == 4) CHECK(next[1].to<int>() == std::vector<int>{0x1a, 0xb1, 0x88, 0x8f, 0x8b, 0x88});
  }
}

TEST_CASE("keys that rotary embedding turns have the magnitude of their pair", "[cache]") {
  Model model = graph(decoder(", f32[16,1] random, f32[16,1] random", ", do_rotary=1"));
  Feeds feeds = steps();
  Model still = graph(decoder(", f32[16,1] 1, f32[16,1] 0", ", do_rotary=1"));
  cache(8, {feeds}).run(still);
  const auto magnitude = [](float a, float b) { return std::hypot(a, b) / 127; };
  CHECK(scales_of(still, 12)[0] == Approx(magnitude(-3, 1)));
  CHECK(scales_of(still, 12)[1] == scales_of(still, 12)[0]);
  CHECK(scales_of(still, 13)[1] == 1.0F / 127);  // values are not turned
  CHECK(cache(8, {feeds}).run(model).changes == 1);
  CHECK(scales_of(model, 12)[0] == scales_of(model, 12)[1]);
}

TEST_CASE("keys behind a RotaryEmbedding do, too, whatever moves their heads", "[cache]") {
  // Rotates k by angles of 0, so that pairs are those of the samples.
  const auto scales = [](const std::string& rotated) {
    Model model = graph("opset 23" + head.substr(8) + "p: i64[B,S]; " + rotated +
                        "y, a, b = com.microsoft::GroupQueryAttention(q, r, v, pk, pv, n, m) {num_heads=4, "
                        "kv_num_heads=2}; return y, a, b");
    Feeds feeds = steps();
    feeds.emplace_back("p", Tensor::of<std::int64_t>({1, 2}, {0, 1}));
    REQUIRE(cache(8, {feeds}).run(model).changes == 1);
    return scales_of(model, 12);
  };
  const std::string turn = "com.microsoft::RotaryEmbedding(", by = ", p, f32[16,1] 1, f32[16,1] 0) {num_heads=2}; ",
                    split = "h = Transpose(Reshape(k, i64[4] {0, 0, 2, 2})) {perm=[0,2,1,3]}; ",
                    join = "r = Reshape(Transpose(t) {perm=[0,2,1,3]}, i64[3] {0, 0, 4}); ";
  const float pair = std::hypot(3.0F, 1.0F) / 127, other = std::hypot(0.5F, 0.0F) / 127;
  const std::vector<std::string> in_front{
      "r = " + turn + "k" + by,
      split + "t = " + turn + "h" + by + join,
      split + "t = RotaryEmbedding(h, f32[1,2,1] 1, f32[1,2,1] 0); " + join,
      "t = " + turn + "k" + by + "r = Identity(Cast(Cast(t) {to=10}) {to=1}); ",
      "t = " + turn + "k" + by + "r = Squeeze(Unsqueeze(t, i64[1] 0), i64[1] 0); "};
  for (const std::string& rotated : in_front) {
    INFO(rotated);
    const std::vector<float> found = scales(rotated);
    CHECK(found[0] == Approx(pair));
    CHECK(found[1] == Approx(pair));
    CHECK(found[2] == Approx(other));
  }
  // This Transpose joins features of other pairs in a head.
  const std::vector<float> mixed =
      scales("t = " + turn + "k" + by + "r = Reshape(Transpose(Reshape(t, i64[4] {0, 0, 2, 2})) {perm=[0,1,3,2]}, "
                                        "i64[3] {0, 0, 4}); ");
  CHECK(mixed == std::vector<float>{3.0F / 127, 0.5F / 127, 2.0F / 127, 2.0F / 127});
}

TEST_CASE("a cache is quantized behind weights", "[cache]") {
  Model model = graph(head +
                      "w = f32[8,8] random; x = MatMul(q, w); y, a, b = com.microsoft::GroupQueryAttention(x, k, v, "
                      "pk, pv, n, m) {num_heads=4, kv_num_heads=2}; return y, a, b");
  quantize_weights_blockwise(newer).run(model);
  CHECK(cache(4, {steps()}).run(model).changes == 1);
  CHECK(ops(model.graph()) == "MatMulNBits GroupQueryAttention");
  CHECK(to_string(*model.graph().find("pk")->type()) == "u8[B,2,P,1]");
  CHECK(verify(model).empty());
}

TEST_CASE("releases without the kernel are refused", "[cache]") {
  CHECK_THROWS_WITH(quantize_cache(targets::ort_cpu_x64, 8, std::vector<Feeds>{steps()}),
                    Catch::Contains("'ort-cpu-x64' has no attention with a cache of 8 bits; release 1.28 has: "
                                    "'ort-cpu-x64@1.28'"));  // 1.27 drops masks
  CHECK_THROWS_WITH(quantize_cache(targets::openvino_cpu, 8, std::vector<Feeds>{steps()}),
                    Catch::EndsWith("'openvino-cpu' has no attention with a cache of 8 bits"));
  CHECK_THROWS_WITH(quantize_cache(newer, 5, std::vector<Feeds>{steps()}), Catch::EndsWith("a cache of 5 bits"));
  for (const Target* const target : {&targets::ort_cpu_x64, &targets::ort_cpu_amx, &targets::ort_cpu_arm64}) {
    const Release since = first_release_with_cache(*target, 8).value();
    CHECK(since == Release{1, 28});
    CHECK_NOTHROW(check_cache(targets::at_release(*target, since), 8));
    CHECK(why_caches_stay(graph(decoder(", _, _, _, f32[1,1,2,2] 0")).graph(), targets::at_release(*target, since), 8)
              .empty());
  }
  CHECK_FALSE(first_release_with_cache(targets::ort_cpu_x64, 5));
  CHECK_FALSE(first_release_with_cache(targets::openvino_cpu, 8));
}

TEST_CASE("caches that cannot change stay in float, with a reason", "[cache]") {
  CHECK_THAT(why_left("x: f32[2]; y = Neg(x)"), Catch::Contains("no GroupQueryAttention of com.microsoft has a cache"));
  const std::string node = "y, a, b = com.microsoft::GroupQueryAttention(q, k, v, pk, pv, n, m) {num_heads=4, "
                           "kv_num_heads=2}; ";
  CHECK_THAT(why_left(head + node + "z = Neg(pk); return y, a, b, z"),
             Catch::Contains("the cache of 'y' stays in float: 'pk' has other readers"));
  CHECK_THAT(why_left(head + "y, a, b = com.microsoft::GroupQueryAttention(q, k, v, pk, pk, n, m) {num_heads=4, "
                             "kv_num_heads=2}; return y, a, b"),
             Catch::Contains("'pk' has other readers"));
  CHECK_THAT(why_left(head + node + "z = Neg(b); return y, a, b, z"),
             Catch::Contains("'b' is not an output of the model alone"));
  CHECK_THAT(why_left(head + node + "return y, a"), Catch::Contains("'b' is not an output"));
  CHECK_THAT(why_left(head + "o = Neg(pk); y, a, b = com.microsoft::GroupQueryAttention(q, k, v, o, pv, n, m) "
                             "{num_heads=4, kv_num_heads=2}; return y, a, b"),
             Catch::Contains("'o' is not an input without a default"));
}

TEST_CASE("a cache that no sample fills stays in float; notes on samples come behind that", "[cache]") {
  struct Torn {
    std::vector<Feeds> samples;
    std::size_t size() const { return samples.size() + 1; }
    Sample operator[](std::size_t i) const {
      if (i == samples.size()) throw Error("is torn");
      return samples[i];
    }
    struct Iterator {
      const Torn* all;
      std::size_t i;
      Sample operator*() const { return (*all)[i]; }
      Iterator& operator++() { return ++i, *this; }
      bool operator==(const Iterator& other) const { return i == other.i; }
    };
    Iterator begin() const { return {this, 0}; }
    Iterator end() const { return {this, size()}; }
  };
  const Feeds empty{{"q", Tensor(DType::f32, {1, 0, 8})},       {"k", Tensor(DType::f32, {1, 0, 4})},
                    {"v", Tensor(DType::f32, {1, 0, 4})},       {"pk", Tensor(DType::f32, {1, 2, 0, 2})},
                    {"pv", Tensor(DType::f32, {1, 2, 0, 2})},   {"n", Tensor::of<std::int32_t>({1}, {-1})},
                    {"m", Tensor::of<std::int32_t>({}, {0})}};
  Model model = graph(decoder());
  CHECK(why_caches_stay(model.graph(), newer, 8).empty());
  const Report report = quantize_cache(newer, 8, SampleSource(Torn{{empty}}).skipping_unreadable()).run(model);
  CHECK(report.changes == 0);
  CHECK(report.notes == std::vector<std::string>{"the cache of 'y' stays in float: no sample has a key",
                                                 "could not be read: is torn"});
}

TEST_CASE("a release that drops the bias beside such a cache keeps it in float", "[cache]") {
  const std::string text = decoder(", _, _, _, f32[1,1,2,2] 0");
  CHECK_THAT(why_left(text), Catch::Contains("the runtime drops its bias beside a cache in integers"));
  Model model = graph(text);
  const Target& mended = targets::at_release(targets::ort_cpu_x64, {1, 28});
  CHECK(quantize_cache(mended, 8, std::vector<Feeds>{steps()}).run(model).changes == 1);
}

TEST_CASE("a cache of float16 becomes int8 in releases that take float16 beside it", "[cache]") {
  const auto halved = [](Feeds feeds) {
    for (auto& [name, tensor] : feeds)
      if (tensor.dtype() == DType::f32) tensor = Tensor::of<float>(DType::f16, tensor.dims(), tensor.to<float>());
    return feeds;
  };
  std::string text = decoder();
  for (std::size_t at = 0; (at = text.find("f32", at)) != std::string::npos;) text.replace(at, 3, "f16");
  CHECK_THAT(why_left(text), Catch::Contains("'pk' is f16, not f32"));
  Model model = graph(text);
  const Target& later = targets::at_release(targets::ort_cpu_x64, {1, 29});
  const Report report = quantize_cache(later, 8, std::vector<Feeds>{halved(steps())}).run(model);
  CHECK(report.notes == std::vector<std::string>{"pk, a, pv, b: i8 [B,2,P,2], were f16"});
  CHECK(verify(model).empty());
  CHECK(node_making(model, "y").input(12)->dtype() == DType::f32);
  CHECK(scales_of(model, 12) == std::vector<float>{3.0F / 127, 2.0F / 127, 0.5F / 127, 0.5F / 127});
  const std::vector<Tensor> made = Evaluator(model.graph()).run(halved(steps(DType::i8)));
  CHECK(made[0].dtype() == DType::f16);
  CHECK(made[1].to<int>() == std::vector<int>{42, -127, -127, 64, 127, 0, 64, 0});
}

TEST_CASE("a cache of float16 around attention in float32 becomes int8, without Casts", "[cache]") {
  const std::string node = "opset 21; q: f32[B,S,8]; k: f32[B,S,4]; v: f32[B,S,4]; pk: f16[B,2,P,2]; pv: f16[B,2,P,2]; "
                           "n: i32[B]; m: i32[]; kf = Cast(pk) {to=1}; vf = Cast(pv) {to=1}; "
                           "y, af, bf = com.microsoft::GroupQueryAttention(q, k, v, kf, vf, n, m) {num_heads=4, "
                           "kv_num_heads=2}; a = Cast(af) {to=10}; b = Cast(bf) {to=10}; ";
  Model model = graph(node + "return y, a, b");
  const Report report = cache(8, {steps(DType::f16)}).run(model);
  CHECK(report.notes == std::vector<std::string>{"pk, a, pv, b: i8 [B,2,P,2], were f16"});
  CHECK(verify(model).empty());
  CHECK(ops(model.graph()) == "GroupQueryAttention");
  CHECK(model.graph().outputs()[1]->name() == "a");
  Model plain = graph(decoder());
  cache(8, {steps()}).run(plain);
  const std::vector<Tensor> made = Evaluator(model.graph()).run(steps(DType::i8)),
                            wanted = Evaluator(plain.graph()).run(steps(DType::i8));
  for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(made[i].to<float>() == wanted[i].to<float>());
  Model typed = graph(node + "return y, a, b");
  typed.graph().declare_type(*typed.graph().outputs()[1],
                              tensor_type(DType::f16, Shape({Dim("B"), Dim(2), Dim("T"), Dim(2)})));
  cache(8, {steps(DType::f16)}).run(typed);
  CHECK(typed.graph().outputs()[1]->dtype() == DType::i8);
  CHECK(to_string(typed.graph().outputs()[1]->shape()) == "[B,2,T,2]");
  CHECK_THAT(why_left(node + "z = Neg(kf); return y, a, b, z"), Catch::Contains("'kf' is not an input"));
  const std::string in_body = "go: bool[]; y, a, b = com.microsoft::GroupQueryAttention(q, k, v, pk, pv, n, m) "
                              "{num_heads=4, kv_num_heads=2}; c = If(go) {then_branch={ t = Cast(a) {to=10} }, "
                              "else_branch={ s = Cast(q) {to=10} }}; return y, b, c";
  CHECK_THAT(why_left(head + in_body), Catch::Contains("'a' is not an output"));
  CHECK_THAT(why_left(node + "z = Neg(af); return y, a, b, z"), Catch::Contains("'af' is not an output"));
}

TEST_CASE("other nodes may read extents of a cache, with 4 bits not that which changes", "[cache]") {
  const std::string node = "y, a, b = com.microsoft::GroupQueryAttention(q, k, v, pk, pv, n, m) {num_heads=4, "
                           "kv_num_heads=2}; ";
  const auto changes = [&](int bits, const std::string& reader) {
    Model model = graph(head + node + reader + "; return y, a, b, z");
    const std::vector<int> wanted = Evaluator(model.graph()).run(steps())[3].to<int>();
    const std::size_t count = cache(bits, {steps()}).run(model).changes;
    const Feeds feeds = count == 0 ? steps() : bits == 8 ? steps(DType::i8) : steps(DType::u8, 1);
    CHECK(Evaluator(model.graph()).run(feeds)[3].to<int>() == wanted);
    CHECK(verify(model).empty());
    return count;
  };
  for (const char* const reader : {"z = Shape(pk) {start=1, end=3}", "z = Shape(pv) {end=-1}",
                                   "z = Gather(Shape(pk), i64[2] {2, -4})",
                                   "z = Gather(Shape(pk) {start=1}, i64[2] {1, -2})", "z = Shape(pk) {start=5}",
                                   "z = Gather(Shape(pk) {start=-3}, i64[] 0)"}) {
    CHECK(changes(8, reader) == 1);
    CHECK(changes(4, reader) == 1);
  }
  for (const char* const reader : {"z = Shape(pk)", "z = Shape(pv) {start=3}", "z = Gather(Shape(pk), i64[2] {0, 3})",
                                   "z = Gather(Shape(pk), i64[] -1)", "z = Neg(Shape(pk))",
                                   "z = Gather(Shape(pk) {start=3}, i64[] 0)",
                                   "z = Gather(Shape(pk) {start=2}, i64[] 1)",
                                   "z = Gather(Shape(pk) {start=-2, end=9}, i64[2] {0, 1})"}) {
    CHECK(changes(8, reader) == 1);
    CHECK(changes(4, reader) == 0);
  }
}

TEST_CASE("a cache that is quantized already stays as it is", "[cache]") {
  Model model = graph(decoder());
  cache(8, {steps()}).run(model);
  const Report again = cache(4, {steps()}).run(model);
  CHECK(again.changes == 0);
  CHECK_THAT(again.notes.front(), Catch::Contains("'pk' is i8, not f32"));
}
