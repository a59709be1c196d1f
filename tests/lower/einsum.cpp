#include <graft/lower/einsum.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

Trial lowered(std::string_view text) { return given(text).pass(einsums_to_matmuls()); }

/// Becomes this, and computes the same.
void check(const std::string& before, const std::string& after) {
  INFO(before);
  CHECK(lowered(before).becomes(after));
  CHECK(lowered(before).equivalent({.inputs = 3, .atol = 1e-5, .dims = {{"B", 2}, {"I", 3}, {"J", 5}}}));
}

constexpr std::string_view heads = "q: f32[I,B,4,3]; k: f32[J,B,4,3]; p: f32[B,4,I,J]; x: f32[I,B,6]; ";

std::string with_heads(std::string_view statements) { return std::string(heads) + std::string(statements); }

}  // namespace

TEST_CASE("products of batches become MatMul between Transposes") {
  check(with_heads("y = Einsum(q, k) {equation=\"ibnd,jbnd->bnij\"}"),
        with_heads("y = MatMul(Transpose(q) {perm=[1,2,0,3]}, Transpose(k) {perm=[1,2,3,0]})"));
  check(with_heads("y = Einsum(p, k) {equation=\"bnij, jbnd -> ibnd\"}"),
        with_heads("y = Transpose(MatMul(p, Transpose(k) {perm=[1,2,0,3]})) {perm=[2,0,1,3]}"));
  check("a: f32[B,I,4]; b: f32[B,4,J]; y = Einsum(a, b) {equation=\"bij,bjk->bik\"}",
        "a: f32[B,I,4]; b: f32[B,4,J]; y = MatMul(a, b)");
}

TEST_CASE("products with constants become MatMul by a matrix") {
  check(with_heads("w = f32[6,4,3] 2; y = Einsum(x, w) {equation=\"ibh,hnd->ibnd\"}"),
        with_heads("w = f32[6,12] 2; y = Reshape(MatMul(x, w), i64[4] {0, 0, 4, 3})"));
  check(with_heads("w = f32[6,4,3] 2; y = Einsum(w, x) {equation=\"hnd,ibh->ibnd\"}"),
        with_heads("w = f32[6,12] 2; y = Reshape(MatMul(x, w), i64[4] {0, 0, 4, 3})"));
  check(with_heads("w = f32[6,4,3] 2; y = Einsum(q, w) {equation=\"ibnd,hnd->ibh\"}"),
        with_heads("w = f32[12,6] 2; y = MatMul(Reshape(q, i64[3] {0, 0, 12}), w)"));
  for (const std::string_view equation : {"ibh,hnd->bind", "ibh,hnd->ndib", "ibh,hnd->nbid"}) {
    const std::string text =
        with_heads("w = f32[6,4,3] random; y = Einsum(x, w) {equation=\"") + std::string(equation) + "\"}";
    CHECK(lowered(text).equivalent({.inputs = 3, .atol = 1e-5}));
    CHECK(lowered(text).run().changed);
  }
}

TEST_CASE("letters of one kind are joined") {
  const std::string text = "a: f32[B,2,3,4,5]; b: f32[B,5,4,6,7]; y = Einsum(a, b) {equation=\"zijkl,zlkmn->zmijn\"}";
  CHECK(lowered(text).equivalent({.inputs = 3, .atol = 1e-4}));
  CHECK(lowered(text).run().changed);
}

TEST_CASE("letters of one kind are joined in batches that may be empty") {
  const std::string equation = "y = Einsum(a, b) {equation=\"zij,zjkl->zlki\"}";
  for (const std::string& text :
       {"a: f32[Z,2,3]; b: f32[Z,3,4,5]; " + equation, "a: f32[2,7,3]; b: f32[2,3,4,Z]; " + equation}) {
    for (const std::int64_t extent : {0, 2}) CHECK(lowered(text).equivalent({.inputs = 3, .dims = {{"Z", extent}}}));
    CHECK(lowered(text).run().changed);
  }
}

TEST_CASE("an Einsum that sorts axes is a Transpose") {
  check(with_heads("y = Einsum(p) {equation=\"bnij->ijbn\"}"), with_heads("y = Transpose(p) {perm=[2,3,0,1]}"));
}

TEST_CASE("einsums through all variants") {
  const std::string text = with_heads("h = Relu(q); s = Einsum(h, k) {equation=\"ibnd,jbnd->bnij\"}; y = Neg(s)");
  CHECK(variants(einsums_to_matmuls(), text, {.inputs = 3, .atol = 1e-5}));
}

TEST_CASE("einsums_to_matmuls refuses") {
  const auto refuses = [](std::string_view text, std::string_view reason) { return lowered(text).refuses(reason); };
  CHECK(refuses("a: f32[2,3]; b: f32[3,4]; y = Einsum(a, b) {equation=\"ij,jk->k\"}", "one operand"));
  CHECK(refuses("a: f32[2,3]; b: f32[3,4]; y = Einsum(a, b) {equation=\"ij,jk->i\"}", "one operand"));
  CHECK(refuses("a: f32[2]; b: f32[3]; y = Einsum(a, b) {equation=\"i,j->ij\"}", "over nothing"));
  CHECK(refuses("a: f32[2,N]; b: f32[M,4]; y = Einsum(a, b) {equation=\"ij,jk->ik\"}", "two extents"));
  CHECK(refuses("a: f32[2,2]; b: f32[2,4]; y = Einsum(a, b) {equation=\"ii,ik->ik\"}", "repeats a letter"));
  CHECK(refuses("a: f32[2,3]; b: f32[3,4]; y = Einsum(a, b) {equation=\"...j,jk->...k\"}", "letters"));
  CHECK(refuses("a: f32[2,3]; b: f32[3,4]; y = Einsum(a, b) {equation=\"ij,jk\"}", "letters"));
  CHECK(refuses("a: i32[2,3]; b: i32[3,4]; y = Einsum(a, b) {equation=\"ij,jk->ik\"}", "floats"));
  CHECK(refuses("a: f32[2,M,N,3]; b: f32[2,3,4]; y = Einsum(a, b) {equation=\"bmnj,bjk->bmnk\"}", "split ones"));
  CHECK(refuses("a: f32[2,0,N,3]; b: f32[2,3,4]; y = Einsum(a, b) {equation=\"bmnj,bjk->bmnk\"}", "one is 0"));
  CHECK(refuses("a: f32[Z,2,3]; b: f32[Z,3,4,L]; y = Einsum(a, b) {equation=\"zij,zjkl->zlki\"}", "joined"));
  CHECK(refuses("a: f32[Z,2,4,3]; b: f32[Z,3,L]; y = Einsum(a, b) {equation=\"zimj,zjl->zlmi\"}", "split ones"));
  CHECK(refuses("a: f32[2,3]; y = Einsum(a) {equation=\"ij->i\"}", "it sums"));
}
