#include <graft/graph/infer/signal.hpp>

#include <catch2/catch.hpp>

#include "graph/infer/told.hpp"

using graft::DType;
using graft::Tensor;

TEST_CASE("windows are as long as given") {
  CHECK(told("HannWindow", {scalar(10)}) == "f32[10]");
  CHECK(told("HammingWindow", {"i64[]"}, {{"output_datatype", DType::f64}}) == "f64[?]");
}

TEST_CASE("DFT keeps the shape except the length and the complex axis") {
  CHECK(told("DFT", {"f32[B,10,N,1]"}) == "f32[B,10,N,2]");
  CHECK(told("DFT", {"f32[B,10,1]"}, {{"onesided", 1}}) == "f32[B,6,2]");
  CHECK(told("DFT", {"f32[B,10,8,1]", scalar(16), scalar(1)}) == "f32[B,16,8,2]");
  CHECK(told("DFT", {"f32[B,10,8,1]"}, {{"axis", 2}, {"onesided", 1}}, {.opset = 17}) == "f32[B,10,5,2]");
  CHECK(told("DFT", {"f32[B,10,8,1]", scalar(16), "i64[]"}) == "f32[?,?,?,?]");
}

TEST_CASE("STFT cuts the signal into frames") {
  CHECK(told("STFT", {"f32[B,128,1]", scalar(8), "f32[16]"}) == "f32[B,15,9,2]");
  CHECK(told("STFT", {"f32[B,128]", scalar(8), "f32[16]"}) == "f32[B,15,9,2]");
  CHECK(told("STFT", {"f32[B,128,1]", scalar(8), "", scalar(16)}, {{"onesided", 0}}) == "f32[B,15,16,2]");
  CHECK(told("STFT", {"f32[B,128,1]", scalar(8), "f32[16]", scalar(8)}) ==
        "no: frame_length differs from that of the window");
}

TEST_CASE("MelWeightMatrix has a row for each bin") {
  CHECK(told("MelWeightMatrix", {scalar(8), scalar(16), scalar(8000), Tensor::scalar(0.0f), Tensor::scalar(4000.0f)}) ==
        "f32[9,8]");
}
