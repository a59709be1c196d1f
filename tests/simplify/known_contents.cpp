#include <graft/simplify/known_contents.hpp>

#include <utility>

#include <catch2/catch.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

/// How many contents the run had computed when it came to an Identity.
std::size_t computed = 0;
constexpr auto count_computed = rule<"count-computed">(op<"Identity">(any), [](const auto&, Rewriter& rewriter) {
  computed = rewriter.known_contents().computed();
  return Verdict::no("it only counts");
});

}  // namespace

TEST_CASE("known_contents where the extents are numbers") {
  CHECK(given("x: f32[2,3,4]; z: f32[12,N]; y = Expand(z, Shape(x))")
            .rule(known_contents)
            .becomes("x: f32[2,3,4]; z: f32[12,N]; y = Expand(z, i64[3] {2,3,4})"));
}

TEST_CASE("known_contents of what is computed from a shape, though not all of the shape is known") {
  CHECK(given("x: f32[N,3,4]; z: f32[24];"
              "a = Gather(Shape(x), i64[] 1); b = Gather(Shape(x), i64[] 2);"
              "y = Reshape(z, Concat(i64[1] -1, Unsqueeze(Mul(a, b), i64[1] 0)) {axis=0})")
            .rule(known_contents)
            .becomes("x: f32[N,3,4]; z: f32[24]; y = Reshape(z, i64[2] {-1, 12})"));
  CHECK(given("x: f32[N,3,4]; y = Cast(Slice(Shape(x), i64[1] 1, i64[1] 3)) {to=i32}; z = Relu(x)")
            .rule(known_contents)
            .becomes("x: f32[N,3,4]; c = i32[2] {3, 4}; y = Identity(c); z = Relu(x)"));
  CHECK(given("x: f32[N,3,4]; y = Shape(x)").rule(known_contents).refuses("not known"));
}

TEST_CASE("known_contents of parts of shapes") {
  const auto becomes = [](const std::string& part, const std::string& constant) {
    INFO(part);
    CHECK(given("x: f32[N,3,4,5]; z: f32; y = Expand(z, " + part + ")")
              .rule(known_contents)
              .becomes("x: f32[N,3,4,5]; z: f32; y = Expand(z, " + constant + ")"));
  };
  becomes("Gather(Shape(x), i64[1] {-1})", "i64[1] 5");
  becomes("Gather(Shape(x) {start=1}, i64[1] 1)", "i64[1] 4");
  becomes("Gather(Shape(x), i64[2] {3, 1})", "i64[2] {5, 3}");
  becomes("Shape(x) {start=1}", "i64[3] {3, 4, 5}");
  becomes("Shape(x) {start=-2, end=9}", "i64[2] {4, 5}");
  becomes("Shape(x) {start=1, end=-1}", "i64[2] {3, 4}");
  becomes("Slice(Shape(x) {start=1}, i64[1] 1, i64[1] 2)", "i64[1] 4");
  becomes("Slice(Shape(x), i64[1] {-2}, i64[1] 9)", "i64[2] {4, 5}");
  becomes("Slice(Shape(x), i64[1] 3, i64[1] 0, i64[1] 0, i64[1] {-2})", "i64[2] {5, 3}");
  CHECK(given("x: f32[2,3]; z: i64[]; y = Add(z, Size(x))")
            .rule(known_contents)
            .becomes("x: f32[2,3]; z: i64[]; y = Add(z, i64[] 6)"));
  for (const std::string_view text :
       {"x: f32[N,3]; y = Gather(Shape(x), i64[1] 0)", "x: f32[N,3]; y = Slice(Shape(x), i64[1] 0, i64[1] 2)",
        "x: f32[N,3]; y = Size(x)", "x: f32; y = Shape(x) {start=1}"}) {
    INFO(text);
    CHECK(given(text).rule(known_contents).refuses("not known"));
  }
}

TEST_CASE("known_contents looks at a chain of shape arithmetic once, whatever it replaces on the way") {
  // Of each link one element is known and taken; the link itself is not known, and stays.
  constexpr std::size_t links = 100;
  std::string text = "x: f32[N,3]; s0 = Shape(x);";
  std::string taken;
  for (std::size_t i = 1; i <= links; ++i) {
    const std::string at = std::to_string(i);
    text += "s" + at + " = Add(s" + std::to_string(i - 1) + ", i64[2] {1, 1});";
    text += "t" + at + " = Gather(s" + at + ", i64[] 1);";
    taken += (i > 1 ? ", t" : "t") + at;
  }
  Model model = graph(text + "y = Max(" + taken + "); z = Identity(s" + std::to_string(links) + ")");
  const Report report = fixpoint(known_contents, count_computed).run(model);
  CHECK(report.changes >= links);
  CHECK(computed > 2 * links);
  CHECK(computed < 6 * links);
}

TEST_CASE("known_contents through all variants") {
  const VariantReport report = variants(known_contents,
                                        "x: f32[N,3,4]; s = Shape(x); g = Gather(s, i64[1] 2); z = Relu(x);"
                                        "y = Expand(z, g)");
  CHECK(report);
  CHECK(report.find("another consumer of %s")->outcome == Variant::Outcome::equivalent);
}

TEST_CASE("Shape, and Gather and Slice of it, by themselves") {
  const std::string head = "x: f32[N,3,4]; ";
  CHECK(given("x: f32[2,3]; y = Neg(Shape(x))").rule(known_shape).becomes("x: f32[2,3]; y = Neg(i64[2] {2, 3})"));
  CHECK(given(head + "y = Neg(Shape(x))").rule(known_shape).refuses("not known"));
  CHECK(given(head + "y = Neg(Gather(Shape(x) {start=1}, i64[] -1))")
            .rule(known_shape_gather)
            .becomes(head + "y = Neg(i64[] 4)"));
  CHECK(given(head + "y = Neg(Gather(Shape(x), i64[1] 0))").rule(known_shape_gather).refuses("not known"));
  CHECK(given(head + "y = Neg(Slice(Shape(x), i64[1] -2, i64[1] 9))")
            .rule(known_shape_slice)
            .becomes(head + "y = Neg(i64[2] {3, 4})"));
  CHECK(given(head + "y = Neg(Slice(Shape(x), i64[1] 0, i64[1] 2))").rule(known_shape_slice).refuses("not known"));
  CHECK(variants(known_shape_gather, head + "s = Shape(x); g = Gather(s, i64[1] 1); y = Neg(g)"));
}

TEST_CASE("known_contents passes by an operator without its result, whatever opset is imported") {
  for (const int opset : {17, 0}) {
    INFO(opset);
    onnx::ModelProto proto = graph("x: f32[2,3]; n = Size(x); y = Relu(x); return y").commit();
    proto.mutable_graph()->mutable_node(0)->clear_output();
    proto.mutable_opset_import(0)->set_version(opset);
    Model model(std::move(proto));
    CHECK(fixpoint({known_contents}).run(model).changes == 0);
  }
}
