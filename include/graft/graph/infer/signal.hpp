#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/dim.hpp>

/// Operators of signal processing.
namespace graft::inline v1::infer {

/// HannWindow, HammingWindow, BlackmanWindow. Input 0 is the length.
inline Verdict signal_window(InferContext& c) {
  const auto dtype = c.attr<DType>("output_datatype").value_or(DType::f32);
  const Contents* const size = c.contents(0);
  c.set(0, dtype, {size != nullptr && size->elements.size() == 1 ? size->elements[0].dim() : Dim()});
  return Verdict::yes();
}

/// The only element of an input as an extent.
inline Dim extent_input(const InferContext& c, std::size_t i) {
  const Contents* const contents = c.contents(i);
  return contents != nullptr && contents->elements.size() == 1 ? contents->elements[0].dim() : Dim();
}

/// The number of bins of a transform of this length. Real signals need only half of them and one, by symmetry.
constexpr Dim bins(const Dim& length, bool onesided) {
  if (!onesided) return length;
  return length.known() ? Dim(length.value() / 2 + 1) : Dim();
}

/// DFT. The axis is an attribute (17), default 1, or input 2 (20), default -2. The last axis holds the real and
/// imaginary parts.
inline Verdict dft(InferContext& c) {
  const Shape x = c.shape(0);
  if (!x.known()) return Verdict::yes();
  if (x.rank() < 2) return Verdict::no("the input has no axis to transform");
  std::vector<Dim> out = to_dims(x);
  out.back() = Dim(2);
  const bool onesided = c.attr("onesided", 0) != 0;
  if (!c.has(1) && !onesided) {
    c.set_shape(0, std::move(out));
    return Verdict::yes();
  }
  c.set_shape(0, std::vector<Dim>(x.rank()));
  const auto axis_told = c.has(2) ? c.integer(2) : std::optional(c.opset() < 20 ? c.attr("axis", 1) : -2);
  if (!axis_told) return Verdict::yes();
  const auto axis = normalized(*axis_told, x.rank());
  if (!axis || *axis + 1 == x.rank()) return Verdict::no("axis is out of range");
  out[*axis] = bins(c.has(1) ? extent_input(c, 1) : out[*axis], onesided);
  c.set_shape(0, std::move(out));
  return Verdict::yes();
}

/// STFT. signal [batch, length, 1 or 2], frame_step, window, frame_length into [batch, frames, bins, 2]. Some exporters
/// write [batch, length].
inline Verdict stft(InferContext& c) {
  const Shape signal = c.shape(0), window = c.shape(2);
  std::vector<Dim> out{Dim(), Dim(), Dim(), Dim(2)};
  const Dim window_length = window.known() && window.rank() == 1 ? window[0] : Dim();
  const auto length = unify(c.has(3) ? extent_input(c, 3) : Dim(), window_length);
  if (!length) return Verdict::no("frame_length differs from that of the window");
  out[2] = bins(*length, c.attr("onesided", 1) != 0);
  if (signal.known() && (signal.rank() == 2 || signal.rank() == 3)) {
    out[0] = signal[0];
    const auto step = c.integer(1);
    if (signal[1].known() && length->known() && step && *step > 0) {
      if (signal[1].value() < length->value()) return Verdict::no("the signal is shorter than a frame");
      out[1] = Dim((signal[1].value() - length->value()) / *step + 1);
    }
  }
  c.set_shape(0, std::move(out));
  return Verdict::yes();
}

/// MelWeightMatrix. num_mel_bins, dft_length ... into [dft_length / 2 + 1, num_mel_bins].
inline Verdict mel_weight_matrix(InferContext& c) {
  const DType dtype = c.attr<DType>("output_datatype").value_or(DType::f32);
  c.set(0, dtype, {bins(extent_input(c, 1), true), extent_input(c, 0)});
  return Verdict::yes();
}

}  // namespace graft::inline v1::infer
