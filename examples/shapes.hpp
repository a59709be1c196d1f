#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

/// Pictures of shapes to classify. They are numbered and drawn with integers only, so that every machine draws the
/// same.
namespace shapes {

inline constexpr std::array<std::string_view, 10> kinds{"circle", "ring",     "crescent", "half disc", "triangle",
                                                        "square", "pentagon", "arrow",    "star",      "cross"};
inline constexpr int size = 64;

constexpr std::size_t kind_of(std::uint64_t number) { return number % kinds.size(); }

/// SplitMix64 (Steele et al., 2014). The distributions of <random> differ between standard libraries.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  /// A number from low to high, both included.
  int between(int low, int high) {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return low + static_cast<int>(((z ^ (z >> 31)) >> 32) * static_cast<std::uint64_t>(high - low + 1) >> 32);
  }

 private:
  std::uint64_t state_;
};

struct Point {
  int x = 0, y = 0;
};

/// Decides by the even-odd rule.
inline bool in_polygon(Point p, const std::vector<Point>& corners) {
  bool inside = false;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Point a = corners[i], b = corners[(i + 1) % corners.size()];
    if ((a.y > p.y) != (b.y > p.y)) inside ^= ((b.x - a.x) * (p.y - a.y) > (p.x - a.x) * (b.y - a.y)) == (b.y > a.y);
  }
  return inside;
}
inline bool in_disc(Point p, int x, int radius) { return (p.x - x) * (p.x - x) + p.y * p.y <= radius * radius; }

/// Whether a shape of radius 1000 around 0 covers the point.
inline bool covers(std::size_t kind, Point p) {
  static const std::array<std::vector<Point>, 6> polygons{{
      {{0, -1000}, {866, 500}, {-866, 500}},
      {{707, 707}, {-707, 707}, {-707, -707}, {707, -707}},
      {{0, -1000}, {951, -309}, {588, 809}, {-588, 809}, {-951, -309}},
      {{950, 0}, {150, 750}, {150, 250}, {-900, 250}, {-900, -250}, {150, -250}, {150, -750}},
      {{0, -1000}, {247, -340}, {951, -309}, {400, 130}, {588, 809}, {0, 420}, {-588, 809}, {-400, 130}, {-951, -309},
       {-247, -340}},
      {{300, -950}, {300, -300}, {950, -300}, {950, 300}, {300, 300}, {300, 950}, {-300, 950}, {-300, 300}, {-950, 300},
       {-950, -300}, {-300, -300}, {-300, -950}},
  }};
  if (std::max(std::abs(p.x), std::abs(p.y)) > 1000) return false;
  if (kind >= 4) return in_polygon(p, polygons[kind - 4]);
  const bool carved[] = {false, in_disc(p, 0, 600), in_disc(p, 450, 800), p.x > 0};
  return in_disc(p, 0, 1000) && !carved[kind];
}

using Colour = std::array<int, 3>;
inline Colour colour(Random& random) {
  return {random.between(0, 255), random.between(0, 255), random.between(0, 255)};
}
inline int difference(const Colour& a, const Colour& b) {
  return std::abs(a[0] - b[0]) + std::abs(a[1] - b[1]) + std::abs(a[2] - b[2]);
}

/// Draws one shape of random size, position, angle and colour on a shaded background, behind a stripe, with noise.
/// Returns the rows of each channel.
inline std::vector<std::uint8_t> draw(std::uint64_t number) {
  const std::size_t kind = kind_of(number);
  Random random(number);

  // Lengths are in eighths of a pixel. The axis is the direction of the shape's own x axis: its angle and its radius.
  Point axis;
  int radius_squared = 0;
  while (radius_squared < 80 * 80 || radius_squared > 176 * 176) {
    axis = {random.between(-176, 176), random.between(-176, 176)};
    radius_squared = axis.x * axis.x + axis.y * axis.y;
  }
  const Point centre{random.between(160, 8 * size - 160), random.between(160, 8 * size - 160)};
  const Point normal{random.between(-64, 64), random.between(-64, 64)};
  const int stripe = (std::abs(normal.x) + std::abs(normal.y)) * random.between(0, 22);
  const Point on_stripe{random.between(0, 8 * size), random.between(0, 8 * size)};

  const Colour left = colour(random), right = colour(random), front = colour(random);
  Colour shape = colour(random);
  while (difference(shape, left) < 150 || difference(shape, right) < 150) shape = colour(random);
  const int noise = random.between(8, 40);

  std::vector<std::uint8_t> pixels(3 * size * size);
  for (int row = 0; row < size; ++row) {
    for (int column = 0; column < size; ++column) {
      int covered = 0, hidden = 0;  // of 16 places in the pixel
      for (int place = 0; place < 16; ++place) {
        const int x = 8 * column + 2 * (place % 4) + 1, y = 8 * row + 2 * (place / 4) + 1;
        const int dx = x - centre.x, dy = y - centre.y;
        covered += covers(kind, {1000 * (dx * axis.x + dy * axis.y) / radius_squared,
                                 1000 * (dy * axis.x - dx * axis.y) / radius_squared});
        hidden += std::abs(normal.x * (x - on_stripe.x) + normal.y * (y - on_stripe.y)) < stripe;
      }
      for (std::size_t c = 0; c < 3; ++c) {
        const int ground = (left[c] * (size - column) + right[c] * column) / size;
        const int seen = (ground * (16 - covered) + shape[c] * covered) / 16;
        const int shown = (seen * (16 - hidden) + front[c] * hidden) / 16;
        const std::size_t place = (c * size + static_cast<std::size_t>(row)) * size + static_cast<std::size_t>(column);
        pixels[place] = static_cast<std::uint8_t>(std::clamp(shown + random.between(-noise, noise), 0, 255));
      }
    }
  }
  return pixels;
}

}  // namespace shapes
