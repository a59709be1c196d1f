// For the comparison with the runtime: does to a model what is ordered.
//   order MODEL OUT PASS [ARGUMENT...]       as below
//   order MODEL OUT split_model SECOND VALUE...
//   order MODEL OUT merge_models SECOND
#include <cstddef>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <graft/graph/error.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/name_pattern.hpp>
#include <graft/surgery.hpp>

namespace {

using Arguments = std::vector<std::string>;

std::vector<std::pair<std::string, std::string>> pairs(const Arguments& arguments) {
  std::vector<std::pair<std::string, std::string>> result;
  for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) result.emplace_back(arguments[i], arguments[i + 1]);
  return result;
}

/// The names in front of "--" and those behind it.
std::pair<Arguments, Arguments> halves(const Arguments& arguments) {
  std::pair<Arguments, Arguments> result;
  bool is_behind = false;
  for (const std::string& argument : arguments) {
    if (argument == "--") is_behind = true;
    else (is_behind ? result.second : result.first).push_back(argument);
  }
  return result;
}

const std::map<std::string, std::function<graft::Pass(const Arguments&)>>& passes() {
  using namespace graft;
  static const std::map<std::string, std::function<Pass(const Arguments&)>> all{
      {"rename_inputs", [](const Arguments& a) { return rename_inputs(pairs(a)); }},
      {"rename_outputs", [](const Arguments& a) { return rename_outputs(pairs(a)); }},
      {"infer_shapes", [](const Arguments&) { return infer_shapes(); }},
      {"remove_shapes", [](const Arguments&) { return remove_shapes(); }},
      {"remove_all_tensor_value_shapes", [](const Arguments&) { return remove_all_tensor_value_shapes(); }},
      {"freeze_inputs", [](const Arguments&) { return freeze_inputs(); }},
      {"reorder_inputs",
       [](const Arguments& a) {
         std::vector<std::size_t> order;
         for (const std::string& number : a) order.push_back(std::stoul(number));
         return reorder_inputs(std::move(order));
       }},
      {"zero_out_input", [](const Arguments& a) { return zero_out_input(a.at(0), std::stoul(a.at(1))); }},
      {"remove_inputs", [](const Arguments& a) { return remove_inputs(a); }},
      {"expose_outputs", [](const Arguments& a) { return expose_outputs(a); }},
      {"expose_values", [](const Arguments& a) { return expose_values({a.begin(), a.end()}); }},
      {"add_intermediate_tensors_to_outputs",
       [](const Arguments& a) {
         return a.empty() ? add_intermediate_tensors_to_outputs() : add_intermediate_tensors_to_outputs(a);
       }},
      {"expose_quantized_output", [](const Arguments& a) { return expose_quantized_output(a.at(0)); }},
      {"rename_dim", [](const Arguments& a) { return rename_dim(a.at(0), a.at(1)); }},
      {"fix_dim", [](const Arguments& a) { return fix_dim(a.at(0), std::stoll(a.at(1))); }},
      {"change_batch",
       [](const Arguments& a) {
         const bool is_number = a.at(0).find_first_not_of("0123456789") == std::string::npos;
         return is_number ? change_batch(std::stoll(a.at(0))) : change_batch(a.at(0));
       }},
      {"rename_input_dims",
       [](const Arguments& a) { return rename_input_dims(a.at(0), std::stoul(a.at(1)), a.at(2)); }},
      {"rename_output_dims",
       [](const Arguments& a) { return rename_output_dims(a.at(0), std::stoul(a.at(1)), a.at(2)); }},
      {"deduplicate_subgraph_initializers", [](const Arguments&) { return deduplicate_subgraph_initializers(); }},
      {"remove_memcpy", [](const Arguments&) { return remove_memcpy(); }},
      {"extract_subgraph",
       [](const Arguments& a) {
         auto [inputs, outputs] = halves(a);
         return extract_subgraph(std::move(inputs), std::move(outputs));
       }},
  };
  return all;
}

}  // namespace

int main(int count, char** words) {
  const Arguments given(words + 1, words + count);
  try {
    graft::Model model = graft::Model::load(given.at(0));
    const std::string &out = given.at(1), &name = given.at(2);
    if (name == "split_model") {
      auto [first, second] = split_model(model, {given.begin() + 4, given.end()});
      first.save(out);
      second.save(given.at(3));
    } else if (name == "merge_models") {
      graft::Model second = graft::Model::load(given.at(3));
      merge_models(model, second, {.shares_inputs = true}).save(out);
    } else {
      std::cout << passes().at(name)({given.begin() + 3, given.end()}).run(model);
      model.save(out);
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
