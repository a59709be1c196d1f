#include <graft/evaluate/detail/product.hpp>

#include <cmath>

#include <catch2/catch.hpp>

#include "evaluate/detail/random.hpp"
#include "support/present_sets.hpp"

using namespace graft::standard_kernels;
using namespace graft::standard_kernels::detail;

namespace {

struct Case {
  std::int64_t m, k, n;
  std::vector<float> a = random_floats(m * k, 1), b = random_floats(k * n, 2), start = random_floats(m, 3);

  double expected(std::int64_t i, std::int64_t j) const {
    double sum = start[to_size(i)];
    for (std::int64_t l = 0; l < k; ++l) sum += double{a[to_size(i * k + l)]} * double{b[to_size(l * n + j)]};
    return sum;
  }
  std::vector<float> transposed_b() const {
    std::vector<float> turned(b.size());
    for (std::int64_t l = 0; l < k; ++l)
      for (std::int64_t j = 0; j < n; ++j) turned[to_size(j * k + l)] = b[to_size(l * n + j)];
    return turned;
  }
  RowMajor rows(std::int64_t served) const { return {b.data(), n, served}; }

  /// Rows of y are 5 further apart than they are long, and what lies between stays as it is.
  template <class B>
  std::vector<float> product(const B& right, Simd simd) const {
    std::vector<float> y(to_size(m * (n + 5)), -7);
    multiply(Gemm{m, k, n, a.data(), start.data(), y.data(), n + 5}, right, simd);
    return y;
  }
  void check(const std::vector<float>& y) const { check(y, 1e-5 * static_cast<double>(k + 1)); }
  void check(const auto& y, double tolerance) const {
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n + 5; ++j) {
        const double wanted = j < n ? expected(i, j) : -7;
        if (std::abs(y[to_size(i * (n + 5) + j)] - wanted) <= tolerance) continue;
        FAIL("element " << i << ", " << j << " is " << y[to_size(i * (n + 5) + j)] << ", not " << wanted);
      }
    }
  }
};

}  // namespace

TEST_CASE("products agree with their definition around the edges of tiles") {
  for (const Simd simd : present_sets()) {
    for (const std::int64_t m : {0, 1, 3, 7, 8, 9, 15, 33}) {
      for (const std::int64_t k : {0, 1, 2, 17, 600}) {
        for (const std::int64_t n : {0, 1, 11, 12, 13, 16, 24, 47, 48, 49, 97}) {
          const Case one{m, k, n};
          CAPTURE(static_cast<int>(simd), m, k, n);
          one.check(one.product(one.rows(1), simd));
          one.check(one.product(one.rows(100), simd));
          const std::vector<float> turned = one.transposed_b();
          one.check(one.product(ColumnMajor{turned.data(), k}, simd));
        }
      }
    }
  }
}

TEST_CASE("products without a start add to what is there") {
  const Case one{9, 300, 50};
  for (const Simd simd : present_sets()) {
    std::vector<float> y(9 * 50);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = one.start[i / 50];
    multiply(Gemm{9, 300, 50, one.a.data(), nullptr, y.data(), 50}, one.rows(9), simd);
    const std::vector<float> apart = one.product(one.rows(9), simd);
    for (std::size_t i = 0; i < 9; ++i)
      CHECK(std::equal(y.begin() + to_int(i) * 50, y.begin() + to_int(i + 1) * 50, apart.begin() + to_int(i) * 55));
  }
}

TEST_CASE("sums of integers within 255 of 0 are exact and go onto integers") {
  for (const Simd simd : present_sets()) {
    for (const std::int64_t k : {0, 3, 256, 257, 4608}) {
      // Sums that are far beyond 2^24 and odd.
      Case one{9, k, 49};
      for (std::vector<float>* factor : {&one.a, &one.b})
        for (std::size_t i = 0; i < factor->size(); ++i) (*factor)[i] = i % 7 == 3 ? -254.0F : 255.0F;
      std::vector<std::int32_t> y(9 * 54, -7);
      multiply(Gemm{9, k, 49, one.a.data(), nullptr, y.data(), 54}, one.rows(9), simd);
      one.start.assign(9, -7);
      CAPTURE(static_cast<int>(simd), k);
      one.check(y, 0);
    }
  }
}

TEST_CASE("the bits of a product do not depend on how it is cut") {
  const Case one{13, 700, 101};
  for (const Simd simd : present_sets()) {
    const std::vector<float> whole = one.product(one.rows(13), simd);
    const std::vector<float> turned = one.transposed_b();
    CHECK(one.product(ColumnMajor{turned.data(), 700}, simd) == whole);
    for (std::int64_t i = 0; i < 13; ++i) {
      for (std::int64_t j = 0; j < 101; j += 50) {
        std::vector<float> part(101);
        const std::int64_t count = std::min<std::int64_t>(50, 101 - j);
        multiply(Gemm{1, 700, count, one.a.data() + i * 700, one.start.data() + i, part.data(), 101},
                 ColumnMajor{turned.data() + j * 700, 700}, simd);
        CHECK(std::equal(part.begin(), part.begin() + count, whole.begin() + i * 106 + j));
      }
    }
  }
}

TEST_CASE("a row by a transposed matrix has the bits that it has among others") {
  const Case one{4, 300, 70};
  const std::vector<float> turned = one.transposed_b();
  std::vector<float> all(4 * 70), row(70);
  add_product(Product{4, 300, 70, true}, one.a.data(), turned.data(), all.data());
  add_product(Product{1, 300, 70, true}, one.a.data() + 2 * 300, turned.data(), row.data());
  CHECK(std::equal(row.begin(), row.end(), all.begin() + 2 * 70));
}
