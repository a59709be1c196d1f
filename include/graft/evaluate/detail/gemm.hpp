#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include <graft/evaluate/clamp.hpp>
#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/lanes.hpp>
#include <graft/evaluate/parallel.hpp>
#include <graft/evaluate/simd.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// A few rows and columns of a product: y = start + a b, all row-major.
struct Tile {
  std::int64_t k;
  const float* a;
  std::int64_t a_stride;
  const float* b;
  std::int64_t b_stride;
  const float* start;  // one number for each row; nullptr if y holds the partial sums
  float* y;
  std::int64_t y_stride;
  Clamp clamp;
};

/// Keeps the tile in registers. Each element is one chain of sums in the order of k, for any tile boundaries.
template <int Rows, int Vectors>
struct MultiplyTile {
  template <int Width>
  [[gnu::always_inline]] static void run(const Tile& tile) {
    using Lane = Lanes<Width>;
    typename Lane::Vector sum[Rows][Vectors];
    const float* a = tile.a;
    const float* b = tile.b;
#pragma GCC unroll 8
    for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 8
      for (int j = 0; j < Vectors; ++j) {
        if (tile.start != nullptr) {
          Lane::fill(sum[i][j], tile.start[i]);
        } else {
          Lane::load(sum[i][j], tile.y + i * tile.y_stride + j * Width);
        }
      }
    }
    for (std::int64_t l = 0; l < tile.k; ++l, ++a, b += tile.b_stride) {
      typename Lane::Vector right[Vectors];
#pragma GCC unroll 8
      for (int j = 0; j < Vectors; ++j) Lane::load(right[j], b + j * Width);
#pragma GCC unroll 8
      for (int i = 0; i < Rows; ++i) {
        const float left = a[i * tile.a_stride];
#pragma GCC unroll 8
        for (int j = 0; j < Vectors; ++j) sum[i][j] += left * right[j];
      }
    }
    typename Lane::Vector low, high;
    Lane::fill(low, tile.clamp.low);
    Lane::fill(high, tile.clamp.high);
#pragma GCC unroll 8
    for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 8
      for (int j = 0; j < Vectors; ++j) {
        Clamp::apply(sum[i][j], low, high);
        Lane::store(tile.y + i * tile.y_stride + j * Width, sum[i][j]);
      }
    }
  }
};

/// Rows of floats that hold integers, to be added to integers.
struct TileSums {
  std::int64_t rows, columns;
  const float* from;
  std::int64_t from_stride;
  std::int32_t* to;
  std::int64_t to_stride;
};

/// Wraps around, like accumulators.
struct AddTileSums {
  template <int>
  [[gnu::always_inline]] static void run(const TileSums& work) {
    for (std::int64_t i = 0; i < work.rows; ++i) {
      const float* from = work.from + i * work.from_stride;
      std::int32_t* to = work.to + i * work.to_stride;
      for (std::int64_t j = 0; j < work.columns; ++j) {
        const auto sum = static_cast<std::uint32_t>(static_cast<std::int32_t>(from[j]));
        to[j] = static_cast<std::int32_t>(static_cast<std::uint32_t>(to[j]) + sum);
      }
    }
  }
};

/// The tiles of an instruction set: up to `rows` rows, a power of two, by up to three vectors.
struct Tiles {
  static constexpr std::int64_t vectors = 3;
  static constexpr std::size_t max_rows = 8, max_columns = 48;

  std::int64_t rows, width;
  void (*add)(const TileSums&);
  std::array<std::array<void (*)(const Tile&), vectors>, 4> run;  // by the logarithm of the rows, and vectors - 1

  std::int64_t columns() const { return vectors * width; }

  static Tiles of(Simd simd) {
    return visit_simd(simd, []<class Set>() { return make<Set>(); });
  }

 private:
  template <class Set, int Rows>
  static std::array<void (*)(const Tile&), vectors> row() {
    return {Set::template run<MultiplyTile<Rows, 1>, Tile>, Set::template run<MultiplyTile<Rows, 2>, Tile>,
            Set::template run<MultiplyTile<Rows, 3>, Tile>};
  }
  template <class Set>
  static Tiles make() {
    // Three vectors by eight rows use 24 of 32 registers; other instruction sets have 16.
    const auto add = Set::template run<AddTileSums, TileSums>;
    if constexpr (Set::width == 16) {
      return {8, Set::width, add, {row<Set, 1>(), row<Set, 2>(), row<Set, 4>(), row<Set, 8>()}};
    } else {
      return {4, Set::width, add, {row<Set, 1>(), row<Set, 2>(), row<Set, 4>(), {}}};
    }
  }
};

/// The destination of sums: floats, or integers to which they are added. For integers, the factors must be integers
/// within 255 of 0: floats hold any sum of `exact` such products, and these sums are added to the integers.
struct Sums {
  static constexpr std::int64_t exact = 256;

  float* floats = nullptr;
  std::int32_t* integers = nullptr;

  Sums(float* y) : floats(y) {}
  Sums(std::int32_t* y) : integers(y) {}
  Sums operator+(std::int64_t i) const { return integers != nullptr ? Sums(integers + i) : Sums(floats + i); }
};

/// y = start + a b for a of [m, k], whose rows may be strided, and b of [k, n].
struct Gemm {
  std::int64_t m, k, n;
  const float* a;
  const float* start;  // [m]; nullptr if y holds the start, as for integers
  Sums y;
  std::int64_t y_stride;
  Clamp clamp = {};  // applied to the sums, if they are floats
};

/// Some rows and columns of b, padded to whole vectors.
struct Panel {
  const float* data;
  std::int64_t stride;
};

/// The place of a panel: rows [first, last), `columns` columns from `column` on, padded to `width`.
struct PanelPlace {
  std::int64_t first, last, column, columns, width;
};

inline void copy_rows(std::int64_t rows, std::int64_t columns, const float* from, std::int64_t from_stride, float* to,
                      std::int64_t to_stride) {
  for (std::int64_t i = 0; i < rows; ++i) copy_run(from + i * from_stride, columns, to + i * to_stride);
}

/// Some rows and columns of the result.
struct Part {
  std::int64_t first_row, last_row, first_column, last_column;
};

template <class B>
void multiply_part(const Gemm& p, const B& b, const Tiles& tiles, const Part& part) {
  const bool integers = p.y.integers != nullptr;
  const std::int64_t cached =
      12288 / tiles.columns();  // a panel of 48 KiB stays in the cache while all rows are multiplied
  const std::int64_t depth = integers ? std::min(cached, Sums::exact) : cached;
  const std::unique_ptr<float[]> packed(new float[to_size(std::min(p.k, depth) * tiles.columns())]);  // uninitialized
  std::array<float, Tiles::max_rows * Tiles::max_columns> apart{};
  const std::array<float, Tiles::max_rows> zeros{};
  for (std::int64_t column = part.first_column; column < part.last_column; column += tiles.columns()) {
    const std::int64_t columns = std::min(tiles.columns(), part.last_column - column);
    const std::int64_t vectors = (columns + tiles.width - 1) / tiles.width;
    const std::int64_t width = vectors * tiles.width;
    std::int64_t first = 0;
    do {
      const std::int64_t last = std::min(first + depth, p.k);
      const PanelPlace place{first, last, column, columns, width};
      const Panel panel = p.k == 0 ? Panel{packed.get(), width} : b.panel(place, packed.get());
      for (std::int64_t row = part.first_row; row < part.last_row;) {
        const std::size_t rows = std::bit_floor(to_size(std::min(tiles.rows, part.last_row - row)));
        const Sums y = p.y + (row * p.y_stride + column);
        Tile tile{last - first,
                  p.a + row * p.k + first,
                  p.k,
                  panel.data,
                  panel.stride,
                  first == 0 && p.start != nullptr ? p.start + row : nullptr,
                  apart.data(),
                  width,
                  last == p.k && !integers ? p.clamp : Clamp()};
        const auto run = tiles.run[to_size(std::countr_zero(rows))][to_size(vectors - 1)];
        if (integers) {
          tile.start = zeros.data();
          run(tile);
          tiles.add({to_int(rows), columns, apart.data(), width, y.integers, p.y_stride});
        } else if (columns == width) {
          tile.y = y.floats;
          tile.y_stride = p.y_stride;
          run(tile);
        } else {
          if (tile.start == nullptr) copy_rows(to_int(rows), columns, y.floats, p.y_stride, apart.data(), width);
          run(tile);
          copy_rows(to_int(rows), columns, apart.data(), width, y.floats, p.y_stride);
        }
        row += to_int(rows);
      }
      first = last;
    } while (first < p.k);
  }
}

/// b, packed as a whole in consecutive panels, for parts that share it.
struct Panels {
  std::int64_t k;
  const float* data;

  Panel panel(const PanelPlace& place, float*) const {
    return {data + place.column * k + place.first * place.width, place.width};
  }
};

/// Gets b panel by panel: b.panel(place, to) writes a panel to `to`, or returns its address if it is stored already.
/// Each element is the same sum for any panels and parts, bit for bit.
template <class B>
void multiply(const Gemm& p, const B& b, Simd simd = best_simd(), const ParallelFor* parallel = nullptr) {
  const Tiles tiles = Tiles::of(simd);
  constexpr std::int64_t worth = 1 << 20;  // the work of a task
  const std::int64_t panels = (p.n + tiles.columns() - 1) / tiles.columns();
  const std::int64_t work = std::max<std::int64_t>(1, p.k * tiles.columns());  // of one row in one panel
  if (parallel == nullptr || p.m * panels * work < 2 * worth) return multiply_part(p, b, tiles, {0, p.m, 0, p.n});

  constexpr std::int64_t few_panels = 16, little_memory = 1 << 20;
  if (panels < few_panels && panels * work <= little_memory) {
    const std::unique_ptr<float[]> packed(new float[to_size(panels * work)]);
    for_each_part(parallel, panels, [&](std::int64_t i) {
      const std::int64_t column = i * tiles.columns(), columns = std::min(tiles.columns(), p.n - column);
      const std::int64_t width = (columns + tiles.width - 1) / tiles.width * tiles.width;
      float* const to = packed.get() + column * p.k;
      const Panel panel = b.panel({0, p.k, column, columns, width}, to);
      if (panel.data != to) copy_rows(p.k, width, panel.data, panel.stride, to, width);
    });
    const std::int64_t rows = std::max<std::int64_t>(32, worth / (panels * work) / 8 * 8);
    for_each_part(parallel, (p.m + rows - 1) / rows, [&](std::int64_t i) {
      multiply_part(p, Panels{p.k, packed.get()}, tiles, {i * rows, std::min(i * rows + rows, p.m), 0, p.n});
    });
  } else {
    const std::int64_t columns = std::max<std::int64_t>(1, worth / (p.m * work)) * tiles.columns();
    for_each_part(parallel, (p.n + columns - 1) / columns, [&](std::int64_t i) {
      multiply_part(p, b, tiles, {0, p.m, i * columns, std::min(i * columns + columns, p.n)});
    });
  }
}

/// b of [k, n], as stored.
struct RowMajor {
  const float* data;
  std::int64_t n;
  std::int64_t m;  // number of rows of a: packing pays for many

  Panel panel(const PanelPlace& place, float* to) const {
    const float* from = data + place.first * n + place.column;
    if (m <= 32 && place.columns == place.width) return {from, n};
    float* out = to;
    for (std::int64_t l = place.first; l < place.last; ++l, from += n, out += place.width) {
      copy_run(from, place.columns, out);
      for (std::int64_t j = place.columns; j < place.width; ++j) out[j] = 0;
    }
    return {to, place.width};
  }
};

/// b stored as [n, k].
struct ColumnMajor {
  const float* data;
  std::int64_t k;

  Panel panel(const PanelPlace& place, float* to) const {
    for (std::int64_t j = 0; j < place.width; ++j) {
      const float* from = data + (place.column + j) * k;
      float* out = to + j;
      for (std::int64_t l = place.first; l < place.last; ++l, out += place.width)
        *out = j < place.columns ? from[l] : 0.0F;
    }
    return {to, place.width};
  }
};

}  // namespace graft::inline v1::standard_kernels::detail
