#include <graft/lower/channel_shuffle.hpp>

#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

const std::string shuffle =
    "Reshape(Transpose(Reshape(x, i64[5] {0, 2, 4, 3, 5})) {perm=[0, 2, 1, 3, 4]},"
    " i64[4] {0, 8, 3, 5})";
const std::string shuffled = "Gather(x, i64[8] {0, 4, 1, 5, 2, 6, 3, 7}) {axis=1}";
const std::string input = "x: f32[N,8,3,5]; ";

Trial gathered(const std::string& text) { return given(text).pass(channel_shuffles_to_gathers()); }

/// Ways in which exporters write the channels of even and of odd places of x, as `even` and `odd`.
const std::vector<std::pair<std::string, std::string>> spellings{
    {"five axes, Split",
     "s = Reshape(Transpose(Reshape(x, i64[5] {0, 4, 2, 3, 5})) {perm=[0, 2, 1, 3, 4]}, i64[4] {0, 8, 3, 5});"
     "even, odd = Split(s, i64[2] {4, 4}) {axis=1};"},
    {"five axes, Slice",
     "s = Reshape(Transpose(Reshape(x, i64[5] {-1, 4, 2, 3, 5})) {perm=[0, 2, 1, 3, 4]}, i64[4] {-1, 8, 3, 5});"
     "even = Slice(s, i64[1] 0, i64[1] 4, i64[1] 1); odd = Slice(s, i64[1] {-4}, i64[1] 100, i64[1] 1);"},
    {"five axes, Slice before the channels are joined",
     "s = Transpose(Reshape(x, i64[5] {0, 4, 2, 3, 5})) {perm=[0, 2, 1, 3, 4]};"
     "even = Squeeze(Slice(s, i64[1] 0, i64[1] 1, i64[1] 1), i64[1] 1);"
     "odd = Reshape(Slice(s, i64[1] {-1}, i64[1] {-5}, i64[1] 1, i64[1] {-3}), i64[4] {-1, 4, 3, 5});"},
    {"the batch among the channels, Gather",
     "s = Reshape(Transpose(Reshape(x, i64[3] {-1, 2, 15})) {perm=[1, 0, 2]}, i64[5] {2, -1, 4, 3, 5});"
     "even = Gather(s, i64[] 0); odd = Gather(s, i64[] 1);"},
    {"the batch among the channels, Split and Squeeze",
     "s = Reshape(Transpose(Reshape(x, i64[3] {-1, 2, 15})) {perm=[1, 0, 2]}, i64[5] {2, -1, 4, 3, 5});"
     "u, v = Split(s, i64[2] 1); even = Squeeze(u, i64[1] 0); odd = Squeeze(v, i64[1] 0);"},
    {"the groups to the front",
     "s = Reshape(x, i64[5] {0, 4, 2, 3, 5}); t = Transpose(s) {perm=[2, 0, 1, 3, 4]};"
     "even = Gather(t, i64[] 0); odd = Squeeze(Gather(t, i64[1] {-1}), i64[1] 0);"},
    {"an Identity and another Unsqueeze between",
     "s = Unsqueeze(Transpose(Identity(Reshape(x, i64[4] {0, 4, 2, 15}))) {perm=[0, 2, 1, 3]}, i64[1] 0);"
     "even = Reshape(Gather(s, i64[] 0) {axis=2}, i64[4] {-1, 4, 3, 5});"
     "odd = Reshape(Gather(s, i64[] 1) {axis=2}, i64[4] {-1, 4, 3, 5});"},
};

}  // namespace

TEST_CASE("each part of a channel shuffle becomes a Gather, however it is written") {
  for (const auto& [name, halves] : spellings) {
    for (const std::string batch : {"N", "1", "3"}) {
      INFO(name << ", batch " << batch);
      const std::string head = "x: f32[" + batch + ",8,3,5]; ";
      const Trial trial = gathered(head + halves + "y = Relu(even); z = Neg(odd)");
      CHECK(trial.becomes(head + "y = Relu(Gather(x, i64[4] {0, 2, 4, 6}) {axis=1});"
                                 "z = Neg(Gather(x, i64[4] {1, 3, 5, 7}) {axis=1})"));
      CHECK(trial.equivalent({.non_finite = true, .dims = {{"N", 2}}}));
      CHECK(trial.tidy());
      CHECK(trial.idempotent());
      CHECK(trial.run().report.changes == 2);
    }
  }
}

TEST_CASE("a shuffle that is read whole becomes one, and so do several behind each other") {
  CHECK(gathered(input + "y = Relu(" + shuffle + ")").becomes(input + "y = Relu(" + shuffled + ")"));
  const std::string twice = "u = " + shuffle +
                            "; v = Transpose(Reshape(u, i64[5] {-1, 2, 4, 3, 5})) "
                            "{perm=[0, 2, 1, 3, 4]}; y = Relu(Reshape(v, i64[4] {-1, 8, 3, 5}))";
  const Trial trial = gathered(input + twice);
  CHECK(trial.becomes(input + "y = Relu(Gather(x, i64[8] {0, 2, 4, 6, 1, 3, 5, 7}) {axis=1})"));
  CHECK(trial.equivalent({.dims = {{"N", 2}}}));
  const Trial tapped = gathered(input + twice + "; z = Abs(u)");
  CHECK(tapped.becomes(input + "y = Relu(Gather(x, i64[8] {0, 2, 4, 6, 1, 3, 5, 7}) {axis=1}); z = Abs(" + shuffled +
                       ")"));
}

TEST_CASE("three groups, other ranks, old opsets and integers") {
  const Trial groups = gathered(
      "x: u8[N,12,6]; t = Transpose(Reshape(x, i64[4] {0, 3, 4, 6})) {perm=[0, 2, 1, 3]};"
      "a, b = Split(Reshape(t, i64[3] {0, 12, 6}), i64[2] {5, 7}) {axis=-2}; y = Concat(b, a) {axis=1}");
  CHECK(
      groups.becomes("x: u8[N,12,6]; y = Concat(Gather(x, i64[7] {9, 2, 6, 10, 3, 7, 11}) {axis=1},"
                     " Gather(x, i64[5] {0, 4, 8, 1, 5}) {axis=1}) {axis=1}"));
  CHECK(groups.equivalent({.dims = {{"N", 2}}}));
  const Trial old = gathered(
      "opset 9; x: f32[2,4,2,2,2]; t = Transpose(Reshape(x, i64[6] {2, 2, 2, 2, 2, 2})) {perm=[0,2,1,3,4,5]};"
      "a, b = Split(Reshape(t, i64[5] {2, 4, 2, 2, 2})) {axis=1}; y = Neg(b);"
      "z = Abs(Squeeze(Slice(Unsqueeze(a) {axes=[0]}) {starts=[1], ends=[2], axes=[2]}) {axes=[0]})");
  CHECK(
      old.becomes("opset 9; x: f32[2,4,2,2,2]; y = Neg(Gather(x, i64[2] {1, 3}) {axis=1});"
                  "z = Abs(Gather(x, i64[1] {2}) {axis=1})"));
}

TEST_CASE("the extents of images may be symbolic") {
  const std::string head = "x: f32[2,8,H,5]; ";
  const Trial trial = gathered(head +
                               "t = Transpose(Reshape(x, i64[5] {2, 2, 4, -1, 5})) {perm=[0, 2, 1, 3, 4]};"
                               "y = Relu(Reshape(t, i64[4] {2, 8, -1, 5}))");
  CHECK(trial.becomes(head + "y = Relu(" + shuffled + ")"));
  CHECK(trial.equivalent());
  const Trial flat = gathered(head +
                              "t = Transpose(Reshape(x, i64[4] {2, 2, 4, -1})) {perm=[0, 2, 1, 3]};"
                              "y = Relu(Reshape(t, i64[4] {2, 8, -1, 5}))");
  CHECK(flat.becomes(head + "y = Relu(" + shuffled + ")"));
  CHECK(flat.equivalent());
}

TEST_CASE("a shuffle that is undone is none") {
  const Trial trial = gathered(input + "u = " + shuffle +
                               "; v = Transpose(Reshape(u, i64[5] {-1, 4, 2, 3, 5})) "
                               "{perm=[0, 2, 1, 3, 4]}; y = Relu(Reshape(v, i64[4] {-1, 8, 3, 5}))");
  CHECK(trial.becomes(input + "y = Relu(x)"));
}

TEST_CASE("graph outputs keep their names, and values theirs") {
  const Trial trial = gathered(input + "y = " + shuffle + "; z = Relu(y); return y, z");
  CHECK(trial.becomes(input + "y = " + shuffled + "; z = Relu(y); return y, z"));
  CHECK(trial.equivalent({.dims = {{"N", 2}}}));
  Model model = graph(input + "s = " + shuffle + "; y = Relu(s)");
  channel_shuffles_to_gathers().run(model);
  CHECK(model.graph().find("s") != nullptr);  // whose range may be known
}

TEST_CASE("shuffles in bodies, and of what is outside, become Gathers") {
  const auto text = [](const std::string& made) {
    return "c: bool[]; " + input + "y = If(c) {then_branch={ t = Relu(" + made +
           "); return t }, else_branch={ e = Abs(x); return e }}";
  };
  CHECK(gathered(text(shuffle)).becomes(text(shuffled)));
  CHECK(gathered(text(shuffle)).equivalent({.dims = {{"N", 2}}}));
  // What a body reads of a shuffle is read.
  const std::string captured = "c: bool[]; " + input + "s = ";
  const std::string reads = "; y = If(c) {then_branch={ t = Relu(s); return t }, else_branch={ e = Abs(x); return e }}";
  CHECK(gathered(captured + shuffle + reads).becomes(captured + shuffled + reads));
}

TEST_CASE("a shuffle in the middle of which something else reads keeps its Transpose") {
  const std::string text = input +
                           "r = Reshape(x, i64[5] {0, 2, 4, 3, 5}); t = Transpose(r) {perm=[0, 2, 1, 3, 4]};"
                           "s = Reshape(t, i64[4] {0, 8, 3, 5}); y = Relu(s);";
  const std::string why = "a reader between its nodes needs its Transpose";
  CHECK(gathered(text + "tap = Neg(t)").refuses(why));
  CHECK(gathered(text + "return t, y").refuses(why));
  CHECK(gathered("c: bool[]; " + text +
                 "z = If(c) {then_branch={ u = Neg(t); return u },"
                 "else_branch={ v = Abs(t); return v }}")
            .refuses(why));
  // In front of it nothing is lost.
  CHECK(gathered(text + "tap = Neg(r)")
            .becomes(input + "y = Relu(" + shuffled +
                     "); tap = Neg(Reshape(x, i64[5] "
                     "{0, 2, 4, 3, 5}))"));
}

TEST_CASE("moves of more than whole channels, by unknown amounts, or without a Transpose stay") {
  for (const std::string text : {
           "x: f32[N,8,3,5]; y = Relu(Transpose(x) {perm=[0, 1, 3, 2]})",
           "x: f32[N,8,4,4]; y = Relu(Reshape(Transpose(Reshape(x, i64[4] {0, 4, 8, 4})) {perm=[0, 2, 1, 3]},"
           " i64[4] {0, 8, 4, 4}))",
           "x: f32[8,8,4,4]; y = Relu(Transpose(x) {perm=[1, 0, 2, 3]})",
           "x: f32[N,8,2,2]; y = Relu(Reshape(Transpose(Reshape(x, i64[6] {0, 2, 2, 2, 2, 2}))"
           " {perm=[0, 1, 4, 2, 5, 3]}, i64[4] {0, 2, 4, 4}))",
           "x: f32[N,C,4,4]; y = Relu(Reshape(Transpose(Reshape(x, i64[5] {0, 2, -1, 4, 4})) {perm=[0, 2, 1, 3, 4]},"
           " i64[4] {0, -1, 4, 4}))",
           "x: f32[N,8,H,W]; y = Relu(Reshape(Transpose(Reshape(x, i64[3] {-1, 2, 15})) {perm=[1, 0, 2]},"
           " i64[4] {-1, 8, 3, 5}))",
           "x: f32[N,8,4,4]; i: i64[]; t = Transpose(Reshape(x, i64[5] {0, 4, 2, 4, 4})) {perm=[2, 0, 1, 3, 4]};"
           "y = Relu(Gather(t, i))",
           "x: f32[N,8,4,4]; u, v = Split(x, i64[2] {4, 4}) {axis=1}; y = Add(u, v)",
           "x: f32[N,8,4,4]; u, v = Split(x, i64[2] {2, 2}) {axis=3}; y = Relu(Reshape(Transpose(Reshape(v,"
           " i64[4] {0, 8, 2, 4})) {perm=[0, 2, 1, 3]}, i64[3] {0, 16, 4}))",
           "x: f32[2,8,3]; w = f32[2,8,3] random; y = Add(x, Reshape(Transpose(Reshape(w, i64[4] {2, 2, 4, 3}))"
           " {perm=[0, 2, 1, 3]}, i64[3] {2, 8, 3}))",
       }) {
    INFO(text);
    const Run run = gathered(text).run();
    CHECK(run.untouched);
    CHECK(run.report.changes == 0);
  }
}
