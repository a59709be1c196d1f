#include <graft/lower/attention_mask.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

std::string attention(std::string_view head, std::string_view lengths, std::string_view total,
                      std::string_view more = "") {
  const std::string node = "com.microsoft::GroupQueryAttention(q, k, v, pk, pv, ";
  return "q: f32[B,S,8]; " + std::string(head) + "k: f32[B,S,8]; v: f32[B,S,8]; pk: f32[B,2,P,4]; pv: f32[B,2,P,4];" +
         "r = ReduceSum(mask, i64[1] 1); t = Sub(r, i64[1,1] 1); n = Squeeze(Cast(t) {to=6}, i64[1] 1);"
         "w = Gather(Shape(mask), i64[] 1); m = Cast(w) {to=6};"
         "y, a, b = " +
         node + std::string(lengths) + ", " + std::string(total) + ") {num_heads=2, kv_num_heads=2};" +
         "z, d, e = " + node + "n, m) {num_heads=2, kv_num_heads=2}; " + std::string(more) + "return y, a, b, z, d, e";
}

Report run(Model& model) {
  Context context;
  context.refusals = true;
  return attention_masks_to_sequence_lengths("mask").run(model, context);
}

}  // namespace

TEST_CASE("lengths become inputs in the place of the mask") {
  Model model = graph(attention("mask: i64[B,T]; ", "n", "m"));
  CHECK(run(model).changes == 1);
  std::string names, ops;
  for (const Value* const input : model.graph().inputs()) names += std::string(input->name()) + " ";
  for (const Node& node : model.graph().nodes()) ops += std::string(node.op_type()) + " ";
  CHECK(names == "q past_seq_len total_seq_len k v pk pv ");
  CHECK(ops == "GroupQueryAttention GroupQueryAttention ");
  CHECK(to_string(*model.graph().find("past_seq_len")->type()) == "i32[B,1]");
  CHECK(to_string(*model.graph().find("total_seq_len")->type()) == "i32[]");
  CHECK(model.graph().initializers().empty());
  CHECK(run(model).changes == 0);
}

TEST_CASE("graphs that read the mask otherwise stay as they are") {
  const auto stays = [](const std::string& text, std::string_view why) {
    Model model = graph(text);
    const std::string before = model.serialize();
    const Report report = run(model);
    CHECK(report.changes == 0);
    REQUIRE(report.refusals.size() == 1);
    CHECK(report.refusals[0].why.find(why) != std::string::npos);
    CHECK(model.serialize() == before);
  };
  stays(attention("mask: i64[B,T]; ", "n", "m", "u = Neg(mask); ") + ", u", "other than the lengths");
  stays(attention("mask: i64[B,T]; n2: i32[B]; ", "n2", "m"), "same lengths");
  std::string other = attention("real: i64[B,T]; mask: i64[B,T]; ", "n", "m");
  other.replace(other.find("Shape(mask)"), 11, "Shape(real)");
  stays(other, "not computed from the mask");
  stays(attention("mask: i64[B,T]; past_seq_len: f32[2]; ", "n", "m"), "taken");
  stays("mask: i64[1,2]; y = Neg(mask)", "GroupQueryAttention");
  stays("x: f32[2]; y = Neg(x)", "no input of this name");
}
