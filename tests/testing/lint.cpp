#include <graft/testing/lint.hpp>

#include <catch2/catch.hpp>

#include "testing/words.hpp"

using namespace words;

namespace {

inline constexpr auto outer = node<"outer">;
inline constexpr auto loses_perm = rule<"loses-perm">(op<"Relu">(op<"Transpose">(x).with(perm)),
                                                      op<"Transpose">(op<"Relu">(x)));
inline constexpr auto keeps_perm = rule<"keeps-perm">(op<"Relu">(op<"Transpose">(x).with(perm)),
                                                      op<"Transpose">(op<"Relu">(x)).with(perm));
inline constexpr auto clones = rule<"clones">(op<"Relu">(op<"Transpose">(x).with(perm).as(outer)),
                                              outer(op<"Relu">(x)));
inline constexpr auto demands = rule<"demands">(op<"Relu">(op<"Softmax">(x).with(axis == 1)), op<"Softmax">(x));
inline constexpr auto demands_default = rule<"demands-default">(op<"Relu">(op<"Gather">(x, w).with(axis == 0)),
                                                                op<"Gather">(x, w));
inline constexpr auto one_of_two = rule<"one-of-two">(op<"Relu">(one_of<"Softmax", "LogSoftmax">(x).with(axis)),
                                                      op<"LogSoftmax">(x));
inline constexpr auto by_function = rule<"by-function">(
    op<"Relu">(op<"Softmax">(x).with(axis)),
    [](const auto& m, Rewriter& rw) -> Value& { return rw.op("Softmax", {&m[x]}); });

inline constexpr auto misspelt = rule<"misspelt">(op<"Reluu">(x), x);
inline constexpr auto builds_misspelt = rule<"builds-misspelt">(one_of<"Relu", "Rellu">(x), op<"Tanhh">(x));
inline constexpr auto too_many = rule<"too-many">(op<"Relu">(x, w), op<"Add">(x));
inline constexpr auto no_attribute = rule<"no-attribute">(op<"Relu">(op<"Squeeze">(x).with(perm)),
                                                          op<"Relu">(x).with(attr<"foo", std::int64_t> = 1));
inline constexpr auto own_domain = rule<"own-domain">(op<"mine::Reluu">(x, w).with(perm), op<"Relu">(x));
inline constexpr auto of_some_version = rule<"of-some-version">(
    op<"Squeeze">(x, rest<>).with(attr<"axes", Axes>), op<"Relu">(x));

inline constexpr auto mistyped_written = rule<"mistyped-written">(
    op<"Relu">(x), op<"Softmax">(x).with(attr<"axis", float> = 1.f));
inline constexpr auto mistyped_wanted = rule<"mistyped-wanted">(
    op<"Softmax">(x).with(attr<"axis", float>), op<"Relu">(x));
inline constexpr auto no_required = rule<"no-required">(op<"Relu">(x), op<"Concat">(x, x));
bool is_plain(const Node& node) { return node.proto().attribute().empty(); }
inline constexpr auto unchecked = rule<"unchecked">(op<"Relu">(op<"Conv">(x, w).with(any_attributes)), op<"Relu">(x));
inline constexpr auto checked = rule<"checked">(op<"Relu">(op<"Conv">(x, w).with(any_attributes).as(conv)),
                                                where(predicate<is_plain>("not plain")(conv)), op<"Relu">(x));
inline constexpr auto required_by_like = rule<"required-by-like">(
    op<"Cast">(op<"Relu">(x)).as(outer), op<"Cast">(x).like(outer));

}  // namespace

TEST_CASE("operators, inputs and attributes that no version of ONNX has are reported, of both sides") {
  CHECK(lint(misspelt).message() == "'misspelt': ONNX has no operator Reluu\n");
  CHECK(lint(builds_misspelt).message() ==
        "'builds-misspelt': ONNX has no operator Rellu\n'builds-misspelt': ONNX has no operator Tanhh\n");
  CHECK(lint(too_many).message() ==
        "'too-many': ONNX has no Relu of 2 inputs\n'too-many': ONNX has no Add of 1 inputs\n");
  CHECK_THAT(lint(no_attribute).message(),
             Catch::StartsWith("'no-attribute': ONNX has no Squeeze with 'perm'\n"
                               "'no-attribute': ONNX has no Relu with 'foo'\n"));
  CHECK(lint(own_domain));
  CHECK(lint(of_some_version));
}

TEST_CASE("an attribute that is looked for and not written is lost") {
  CHECK(lint(loses_perm).message() == "'loses-perm' looks for Transpose with 'perm', and builds one without it\n");
  CHECK_FALSE(lint(demands));
  CHECK_FALSE(lint(one_of_two));
}

TEST_CASE("an attribute that is written, cloned or at its default is not") {
  CHECK(lint(keeps_perm));
  CHECK(lint(clones));
  CHECK(lint(demands_default));
  CHECK(lint(relu_relu));
  CHECK(lint(relu_to_neg));
}

TEST_CASE("a function cannot be looked into") { CHECK(lint(by_function)); }

TEST_CASE("an attribute of another type than the schema's is reported, on both sides") {
  CHECK(lint(mistyped_written).message() ==
        "'mistyped-written': the attribute 'axis' of Softmax is an int, the rule declares a float\n");
  CHECK(lint(mistyped_wanted).message() ==
        "'mistyped-wanted': the attribute 'axis' of Softmax is an int, the rule declares a float\n");
}

TEST_CASE("a new operator without a required attribute is reported") {
  CHECK(lint(no_required).message() ==
        "'no-required': the replacement builds Concat without its required attribute 'axis', an int\n");
  CHECK(lint(required_by_like));
}

TEST_CASE("attributes that any_attributes lets in and nothing checks are reported") {
  CHECK(lint(unchecked).message() == "'unchecked' takes any attributes of Conv, and no where(...) checks them\n");
  CHECK(lint(checked));
}
