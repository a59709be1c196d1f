#include <graft/transformer/fuse/expand_attention_masks.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

std::string masked_attention(std::string_view mask, std::string_view more = "") {
  return "opset 23; q: f32[B,2,S,4]; k: f32[B,2,T,4]; v: f32[B,2,T,4]; mask: " + std::string(mask) +
         "; pk: f32[B,2,P,4]; pv: f32[B,2,P,4]; y = Attention(q, k, v, mask" + std::string(more) + ")";
}

}  // namespace

TEST_CASE("a mask of one row gets one for each query") {
  for (const std::string_view mask : {"f32[B,1,1,T]", "bool[B,1,1,T]", "f32[1,2,1,T]", "f32[1,T]", "f32[2,1,T]"}) {
    INFO(mask);
    const Trial trial = given(masked_attention(mask)).pass(expand_attention_masks());
    CHECK(trial.equivalent({.dims = {{"T", 4}, {"B", 2}}}));
    CHECK(trial.idempotent());
  }
  const std::string head = "opset 23; q: f32[B,2,S,4]; k: f32[B,2,T,4]; mask: f32[B,1,1,T]; ";
  CHECK(given(head + "y = Attention(q, k, k, mask)")
            .pass(expand_attention_masks())
            .becomes(head + "two = i64[1] 2; s = Gather(Shape(q), two); t = Gather(Shape(k), two); "
                            "y = Attention(q, k, k, Expand(mask, Concat(i64[2] 1, s, t) {axis=0}))"));
}

TEST_CASE("the keys of a cache count") {
  const std::string text = masked_attention("f32[B,1,1,7]", ", pk, pv");
  CHECK(given(text).pass(expand_attention_masks()).equivalent({.dims = {{"P", 3}, {"T", 4}, {"B", 2}, {"S", 3}}}));
}

TEST_CASE("a mask of one key gets one for each key") {
  for (const std::string_view mask : {"f32[B,1,S,1]", "f32[S,1]", "f32[B,1,1,1]"}) {
    INFO(mask);
    const Trial trial = given(masked_attention(mask)).pass(expand_attention_masks());
    CHECK(trial.equivalent({.dims = {{"T", 4}, {"B", 2}, {"S", 3}}}));
    CHECK(trial.run().changed);
    CHECK(trial.idempotent());
    const Trial cached = given(masked_attention(mask, ", pk, pv")).pass(expand_attention_masks());
    CHECK(cached.equivalent({.dims = {{"P", 3}, {"T", 4}, {"B", 2}, {"S", 3}}}));
    CHECK(cached.run().changed);
  }
}

TEST_CASE("attentions of one mask share what is expanded") {
  const std::string text =
      "opset 23; q: f32[B,2,S,4]; mask: f32[B,1,1,S]; a = Attention(q, q, q, mask); b = Relu(a); "
      "y = Attention(b, b, b, mask)";
  const Run run = given(text).pass(expand_attention_masks()).run();
  std::size_t expanded = 0;
  for (const Node& node : run.model.graph().nodes()) expanded += node.is("Expand");
  CHECK(expanded == 1);
}

TEST_CASE("other masks are left") {
  const auto refuses = [](const std::string& text, std::string_view reason) {
    return given(text).pass(expand_attention_masks()).refuses(reason);
  };
  CHECK(refuses(masked_attention("f32[B,1,S,T]"), "one row or one key"));
  CHECK(refuses(masked_attention("f32[B,1,R,T]"), "one row or one key"));
  const auto of_one = [](std::string_view queries, std::string_view keys, std::string_view mask) {
    return "opset 23; q: f32[B,2," + std::string(queries) + ",4]; k: f32[B,2," + std::string(keys) +
           ",4]; mask: " + std::string(mask) + "; y = Attention(q, k, k, mask)";
  };
  CHECK(refuses(of_one("1", "T", "f32[B,1,1,T]"), "one query"));
  CHECK(refuses(of_one("S", "1", "f32[B,1,S,1]"), "one key"));
  CHECK(refuses(masked_attention("f32"), "rank 2 to 4"));
  std::string newer = masked_attention("f32[B,1,1,M]");
  CHECK(refuses(newer.replace(newer.find("23"), 2, "24"), "fewer keys"));
}
