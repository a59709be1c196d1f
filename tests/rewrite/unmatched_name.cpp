#include <graft/rewrite/unmatched_name.hpp>

#include <catch2/catch.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

TEST_CASE("a name of no node is reported with the node that may be meant") {
  const Model model = graph("x: f32[2]; hidden = Neg(x); y = Abs(hidden)");
  model.graph().rename(*model.graph().first_node(), "first_node");
  CHECK(no_node_called(NamePattern("first_nod"), model.graph()) ==
        "no node is called 'first_nod'; did you mean 'first_node'?");
  CHECK(no_node_called(NamePattern("hidden"), model.graph()) ==
        "no node is called 'hidden'; the tensor of that name is an output of the node 'first_node'");
}

TEST_CASE("a name of no tensor is reported with the tensor that may be meant") {
  const Model model = graph("x: f32[2]; hidden = Neg(x); y = Abs(hidden)");
  model.graph().rename(*model.graph().first_node(), "first_node");
  CHECK(no_tensor_called(NamePattern("hiden"), model.graph()) ==
        "no tensor is called 'hiden'; did you mean 'hidden'?");
  CHECK(no_tensor_called(NamePattern("first_node"), model.graph()) ==
        "no tensor is called 'first_node'; the node of that name has the output 'hidden'");
}
