#pragma once
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include <graft/graph/model.hpp>
#include <graft/graph/problem.hpp>
#include <graft/graph/verify.hpp>

/// Ends the program, so that libFuzzer keeps the input.
[[noreturn]] inline void finding(const std::string& what) {
  std::fprintf(stderr, "finding: %s\n", what.c_str());
  std::abort();
}

/// Of a model that had no problems before. What it declares may contradict itself all the same, which is seen only when
/// more types are known: where two nodes that compute the same become one, say.
inline void require_no_problems(graft::Model& model, const std::string& after) {
  for (const graft::Problem& problem : graft::verify(model))
    if (problem.text.find(" is declared with ") == std::string::npos)
      finding("after " + after + ": " + to_string(problem) + "\n" + to_string(model));
}

/// What is written reads back as the same model from the folder of its external data, and is sound if it was.
inline void require_round_trip(graft::Model& model, bool is_sound) {
  const std::string bytes = model.serialize();
  onnx::ModelProto proto;
  if (!proto.ParseFromString(bytes)) finding("what was written cannot be parsed");
  graft::Model again(std::move(proto), model.external_data()->folder());
  if (again.serialize() != bytes) finding("what was written reads back as another model");
  if (is_sound) require_no_problems(again, "reading it back");
}
