#include <graft/graph/infer/recurrent.hpp>

#include <catch2/catch.hpp>

#include "graph/infer/told.hpp"

TEST_CASE("a recurrent operator gives its states over time, and the last ones") {
  CHECK(told("LSTM", {"f32[T,B,4]", "f32[1,20,4]", "f32[1,20,5]"}, {{"hidden_size", 5}}, {.outputs = 3}) ==
        "f32[T,1,B,5] f32[1,B,5] f32[1,B,5]");
  CHECK(told("GRU", {"f32[T,B,4]", "f32[2,15,4]", "f32[2,15,5]"}, {{"direction", "bidirectional"}}, {.outputs = 2}) ==
        "f32[T,2,B,5] f32[2,B,5]");
  CHECK(told("RNN", {"f32[B,T,4]", "f32[1,5,4]", "f32[1,5,5]"}, {{"layout", 1}}, {.outputs = 2}) ==
        "f32[B,T,1,5] f32[B,1,5]");
}

TEST_CASE("com.microsoft's DynamicQuantizeLSTM has transposed weights") {
  CHECK(told("com.microsoft::DynamicQuantizeLSTM", {"f32[T,B,4]", "i8[2,4,20]", "i8[2,5,20]"},
             {{"hidden_size", 5}, {"direction", "bidirectional"}}, {.outputs = 3}) ==
        "f32[T,2,B,5] f32[2,B,5] f32[2,B,5]");
}

TEST_CASE("a recurrent operator that does not fit is refused") {
  CHECK(told("RNN", {"f32[B,4]", "f32[1,5,4]", "f32[1,5,5]"}) ==
        "no: the input of a recurrent operator must have rank 3");
  CHECK(told("RNN", {"f32[T,B,4]", "f32[1,5,4]", "f32[1,5,5]"}, {{"hidden_size", 6}}) ==
        "no: hidden_size differs from that of the recurrence weight");
}
