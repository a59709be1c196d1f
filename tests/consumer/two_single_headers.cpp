#include <cstddef>

#include <graft/graph.hpp>
#include <graft/rewrite.hpp>

// Both headers have the graph in them.
int main() {
  using namespace graft;
  constexpr auto x = val<"x">;
  constexpr auto relu_relu = rule<"relu-relu">(op<"Relu">(op<"Relu">(x)), op<"Relu">(x));
  Builder b(13);
  b.output(b.op("Relu", {&b.op("Relu", {&b.input("x", DType::f32, {2})})}), "y");
  Model model = b.build();
  const std::size_t found = find_all(query<"relu">(op<"Relu">(x)), model.graph()).size();
  fixpoint(relu_relu).run(model);
  return found == 2 && model.graph().nodes().size() == 1 ? 0 : 1;
}
