// graft-qonnx: converts, runs, counts and cleans up models of arbitrary precision.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <graft/graph.hpp>
#include <graft/qonnx.hpp>

#include "graft-qonnx/convert.hpp"
#include "graft-qonnx/execute.hpp"
#include "graft-qonnx/rewrite.hpp"
#include "graft-qonnx/tables.hpp"
#include "support/option_values.hpp"
#include "support/standard_output.hpp"

namespace {

namespace qonnx = graft::qonnx;

struct Options {
  Files files;
  ConvertOptions convert;
  ExecuteOptions execute;
  qonnx::CleanupOptions cleanup;
  qonnx::InferenceCostOptions cost;
  std::map<std::string, qonnx::TensorRange, std::less<>> ranges;
  std::map<std::string, std::int64_t> sizes;  // of symbolic dims, for `cost`
  bool as_json = false, is_dense = false, moves_signature = false;
};

/// Splits NAME=TEXT.
std::pair<std::string, std::string> assignment(const char* option, const std::string& text) {
  const auto equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0)
    throw CLI::ValidationError(option, "expected NAME=..., found " + text);
  return {text.substr(0, equals), text.substr(equals + 1)};
}

template <class T>
T number_of(const char* option, const std::string& text) {
  T number{};
  if (!CLI::detail::lexical_cast(text, number)) throw CLI::ValidationError(option, text + " is not a number");
  return number;
}

/// An option that may be repeated. Each text is passed to `add`.
CLI::Option* add_repeatable(CLI::App& app, const char* name, const char* type, const char* help,
                            std::function<void(const std::string&)> add) {
  return app
      .add_option_function<std::vector<std::string>>(
          name,
          [add = std::move(add)](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) add(text);
          },
          help)
      ->type_name(type)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

CLI::Option* add_dim(CLI::App& command, const char* help, std::map<std::string, std::int64_t>& sizes) {
  return add_repeatable(command, "--dim", "NAME=N", help, [&sizes](const std::string& text) {
    const auto [name, size] = assignment("--dim", text);
    sizes[name] = number_of<std::int64_t>("--dim", size);
  });
}

CLI::App& add_command(CLI::App& app, const char* name, const char* help, Options& options, bool writes) {
  CLI::App& command = *app.add_subcommand(name, help);
  command.add_option("MODEL", options.files.model, "the model")->required();
  if (writes) command.add_option("-o,--output", options.files.output, "write the result to this file")->required();
  return command;
}

void add_convert(CLI::App& app, Options& options) {
  CLI::App& command = add_command(app, "convert", "convert to another format", options, true);
  const std::map<std::string, Destination> destinations{{"quant", Destination::quant},
                                                        {"qcdq", Destination::qcdq},
                                                        {"qdq", Destination::qdq},
                                                        {"qop", Destination::qop},
                                                        {"integer", Destination::integer},
                                                        {"multithreshold", Destination::multithreshold}};
  add_choice(command, "--to", options.convert.to, destinations, "quant, qcdq, qdq, qop, integer or multithreshold")
      ->required();
  command.add_flag("--narrow-types", options.convert.narrow_types,
                   "store integers of up to 4 bits as int4, and those of 2 bits as int2 if the opset has it");
  command.add_flag("--lower-rest", options.convert.lower_rest,
                   "write float operators for quantizers that the format cannot express");
  command.add_flag("--keep-overridable", options.convert.keep_overridable,
                   "keep initializers that callers may override as inputs; by default they become constants");
  const std::map<std::string, qonnx::ZeroPoints> zero_points{
      {"zero", qonnx::ZeroPoints::zero}, {"even", qonnx::ZeroPoints::even}, {"any", qonnx::ZeroPoints::any}};
  add_choice(command, "--zero-points", options.convert.zero_points, zero_points,
             "zero points to convert: zero, even (default) or any; an odd one can change results at ties by one step");
  command.add_flag("--least-bits", options.convert.least_bits,
                   "give Quant of a constant the fewest bits that hold its integers, instead of those of their dtype");
  command.add_flag("--any-ties", options.convert.any_ties,
                   "convert thresholds halfway between integers too, to a Quant that rounds ties to even");
  command
      .add_option("--opset", options.convert.opset,
                  "raise the model to this opset first; default: the lowest that the conversion needs")
      ->check(CLI::Range(7, 25));
}

void add_execute(CLI::App& app, Options& options) {
  CLI::App& command = *app.add_subcommand("exec", "run the model on test data");
  ExecuteOptions& execute = options.execute;
  command.add_option("MODEL", execute.model, "the model")->required();
  command.add_option("-o,--output", execute.output, "write the outputs to this folder")->required();
  auto* const data = command.add_option(
      "--data", execute.data, "a folder of input_0.pb or .npy and so on, or of test_data_set_* folders with these");
  auto* const random =
      command.add_option("--random", execute.random, "use this many random inputs instead, and write them too")
          ->check(wanted<std::int64_t>("a number of 1 or more", [](std::int64_t n) { return n > 0; }))
          ->excludes(data);
  add_dim(command, "the extent of a symbolic dim of random inputs; default 1; repeatable", execute.sizes)
      ->needs(random);
  command.add_option("--values", execute.values, "write these tensors too")->delimiter(',')->type_name("NAME,...");
  command.add_flag("--all-values", execute.all_values, "write the outputs of all nodes too");
  command.callback([data, random] {
    if (data->count() + random->count() == 0) throw CLI::RequiredError("--data or --random");
  });
}

void add_cleanup(CLI::App& app, Options& options) {
  CLI::App& command = add_command(app, "cleanup", "fold constants, infer shapes, give readable names", options, true);
  qonnx::CleanupOptions& cleanup = options.cleanup;
  command.add_option("--batch", cleanup.batch, "set the batch size of all inputs")
      ->check(wanted<std::int64_t>("a number of 1 or more", [](std::int64_t n) { return n > 0; }));
  add_repeatable(command, "--shape", "NAME=N,N,...", "set the shape of an input; repeatable",
                 [&cleanup](const std::string& text) {
                   const auto [name, extents] = assignment("--shape", text);
                   graft::Dims dims;
                   for (const std::string& extent : CLI::detail::split(extents, ','))
                     dims.push_back(number_of<std::int64_t>("--shape", extent));
                   if (!cleanup.input_shapes.emplace(name, dims).second)
                     throw CLI::ValidationError("--shape", "is given twice for " + name);
                 });
  command.add_flag("--extract-biases", cleanup.extract_biases, "turn the bias of Conv into an Add");
  command.add_flag("--rename-signature", cleanup.rename_signature, "call inputs and outputs global_in and global_out");
}

void add_tables(CLI::App& app, Options& options) {
  CLI::App& cost = add_command(app, "cost", "count the multiplications and bits of one inference", options, false);
  cost.add_flag("--dense", options.is_dense, "count products with weights of 0 too");
  cost.add_flag("--scaled-as-float", options.cost.scaled_activations_as_float,
                "activations with a scale count as float32");
  add_dim(cost, "the extent of a symbolic dim of inputs; default 1; repeatable", options.sizes);
  CLI::App& types = add_command(app, "datatypes", "infer the data types of tensors", options, false);
  types.add_option("-o,--output", options.files.output, "write the model with the types as annotations to this file");
  CLI::App& ranges =
      add_command(app, "ranges", "bound the values of tensors and the accumulators of sums", options, false);
  add_repeatable(ranges, "--input", "NAME=MIN,MAX[,STEP]",
                 "the range of an input, and the step that its values are multiples of; repeatable",
                 [&options](const std::string& text) {
                   const auto [name, range] = assignment("--input", text);
                   std::vector<double> numbers;
                   for (const std::string& number : CLI::detail::split(range, ','))
                     numbers.push_back(number_of<double>("--input", number));
                   if (numbers.size() != 2 && numbers.size() != 3)
                     throw CLI::ValidationError("--input", "expected MIN,MAX or MIN,MAX,STEP, found " + range);
                   std::vector<double> step(numbers.begin() + 2, numbers.end());
                   options.ranges[name] = qonnx::TensorRange::of(numbers[0], numbers[1], std::move(step));
                 });
  for (CLI::App* const command : {&cost, &types, &ranges})
    command->add_flag("--json", options.as_json, "print JSON");
}

/// Returns false if the written model has new problems, or outputs differ from the expected ones.
bool run(const CLI::App& app, Options& options) {
  const auto is = [&](const char* command) { return app.got_subcommand(command); };
  if (is("convert")) return rewrite(options.files, conversion(options.convert));
  if (is("cleanup")) return rewrite(options.files, qonnx::cleanup(options.cleanup));
  if (is("channels-last")) {
    const bool moves = options.moves_signature;
    return rewrite(options.files,
                   qonnx::cleanup() | qonnx::to_channels_last({.inputs = moves, .outputs = moves}));
  }
  options.cost.discount_sparsity = !options.is_dense;
  if (is("exec")) return execute(options.execute);
  if (is("cost")) print_cost(options.files.model, options.cost, options.sizes, options.as_json);
  if (is("datatypes")) print_data_types(options.files, options.as_json);
  if (is("ranges")) print_ranges(options.files.model, options.ranges, options.as_json);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Converts, runs, counts and cleans up ONNX models of arbitrary precision.", "graft-qonnx");
  app.require_subcommand(1);
  add_convert(app, options);
  add_execute(app, options);
  add_cleanup(app, options);
  add_command(app, "channels-last", "move channels to the last axis", options, true)
      .add_flag("--signature", options.moves_signature, "change the layout of the model's inputs and outputs too");
  add_tables(app, options);
  try {
    app.parse(argc, argv);
    const bool is_good = run(app, options);
    flush_standard_output();
    return is_good ? 0 : 1;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "graft-qonnx: %s\n", error.what());
    return 1;
  }
}
