#pragma once
#include <string_view>

#include <graft/graph/model.hpp>
#include <graft/graph/operators.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// A model from text that reads as graphs print, types of inner values inferred:
///
///   Model m = graph(R"(
///     opset 13                                  # the main domain; 17 unless said
///     x: f32[1,3,N,N]                           # a graph input; dims are numbers, symbols or ?
///     c: bool[]
///     w = f32[4,3,3,3] random                   # an initializer
///     b: f32[4] = {0, 1, 0.5, -2}               # an initializer that is an input as well: callers may override it
///     h = Relu(Conv(x, w, b) {strides=[2,2]})   # nodes; calls nest
///     y, _ = com.microsoft::Op(h, _, f32[] 2)   # omitted outputs and absent inputs are _; a constant in place
///     z = If(c) {then_branch={ t = Neg(h) }, else_branch={ u = Abs(h) }}
///     return y, z
///   )");
///
/// statements, separated by ; or a new line:
///   opset VERSION | opset DOMAIN VERSION | ir VERSION
///                before the first node. Domains without one are imported at version 1; ir is 8 unless said
///   NAME: TYPE | NAME: TYPE = CONTENTS
///                a graph input; with a default
///   NAME = TYPE CONTENTS
///                an initializer
///   NAME, ... = CALL | NAME, ... = CALL : TYPE, ...
///                a node; with declared types of its outputs, ? for one that is not declared
///   return NAME, ...
///                the outputs. Without it: what nodes compute under a name and nothing reads, in order
///
/// CALL        OP(ARGUMENT, ...) {ATTRIBUTE=..., ...} | DOMAIN::OP(...) {...}
///             A node bears the name of its first output that has one. Outputs without a name get one after the
///             operator: Conv_1, Conv_2.
/// ARGUMENT    NAME | _ | CALL, of one output | TYPE CONTENTS
/// ATTRIBUTE=  1 | 0.5 | "text" | [1,2] | [0.5,1] | ["a","b"] | TYPE CONTENTS | { STATEMENTS }, a body | lists of the
///             last two | true, false: 1, 0 | f32: the dtype's number
///             Whether 1 is an int or a float, the operator's schema says; without one it is an int.
/// TYPE        f32[2,N,?] | f32[] (a scalar) | f32 (of unknown rank) | sequence(TYPE) | optional(TYPE)
/// CONTENTS    {1, 2, 3}, all elements | 1, every element | random | random(LOW, HIGH) | random(LOW, HIGH, SEED) |
///             _, any, of this dtype and shape: in an expected graph they do not count, elsewhere they are random.
///             Random ones lie in usual_interval() unless said, and are seeded by the name: equal names, equal ones.
/// NAME        letters, digits and _ / . - , not beginning with a digit | these behind a %, as graphs print them |
///             "any text"
/// #           begins a comment, to the end of the line
///
/// Values are defined before they are read; names of outer scopes are visible in bodies, and not defined there again.
/// Throws Error with line and column, also for operators and attributes that ONNX does not define.
/// Knows operators of your own: their shapes, and their schemas, which say whether 1 is an int or a float.
Model graph(std::string_view text, const Operators& operators = {});

}  // namespace graft::inline v1
