#pragma once
#include <graft/quantize/tune/choose_weight_bits.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <graft/config.hpp>
#include <graft/evaluate/permuted.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shortest_decimal.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/block_matrix.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/gram_matrix.hpp>
#include <graft/quantize/detail/block_products.hpp>
#include <graft/quantize/detail/constant_product.hpp>
#include <graft/quantize/detail/product_groups.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/need.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1 {
namespace detail {

/// A weight, its readers in the main graph, and what each number of bits costs.
struct WeightChoice {
  struct Form {
    BlockForm blocks;
    double stored_bits, loss;
  };
  ConstantProduct product{};  ///< the first
  std::int64_t rows = 0, columns = 0;
  std::set<const Graph*> scopes{};  ///< of all readers: each stores the weight
  std::vector<Node*> readers{};
  std::size_t gathers = 0;    ///< that read it too
  std::vector<Form> forms{};  ///< by bits; the first has the fewest
  std::size_t chosen = 0;

  double size() const {
    return static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(scopes.size());
  }
  /// What the next form saves of the loss, for each stored bit.
  double gain() const {
    const Form &now = forms[chosen], &next = forms[chosen + 1];
    return (now.loss - next.loss) / (next.stored_bits - now.stored_bits);
  }
};

inline double stored_bits(std::int64_t rows, std::int64_t columns, const BlockForm& form, BlockOperators operators) {
  const std::int64_t blocks = (columns + form.block_size - 1) / form.block_size;
  const std::int64_t bits = operators == BlockOperators::contrib ? form.bits : form.bits > 4 ? 8 : 4;
  const std::int64_t zero_points = form.symmetric ? 0 : (blocks * bits + 7) / 8 * 8;  // a row has whole bytes
  return static_cast<double>(rows * (blocks * (bits * form.block_size + 32) + zero_points));
}

/// The shares of the power of products of one weight with their inputs that are noise, by form; and of what so many
/// Gather take out of it.
class ProductNoise {
 public:
  ProductNoise(const Tensor& matrix, std::span<const GramMatrix* const> inputs, std::size_t gathers)
      : columns_(inputs[0]->columns()), gathers_(static_cast<double>(gathers)) {
    const std::span<const float> all = matrix.data<float>();
    constexpr std::size_t most_rows = 64;
    const std::size_t rows = all.size() / columns_, count = std::min(rows, most_rows);
    for (std::size_t i = 0; i < count; ++i) {
      const std::span<const float> row = all.subspan(i * rows / count * columns_, columns_);
      rows_.insert(rows_.end(), row.begin(), row.end());
    }
    GramMatrix joint;
    const auto size = static_cast<Eigen::Index>(columns_);
    for (const GramMatrix* const one : inputs) {
      joint.merge(*one);
      Eigen::MatrixXd& gram = grams_.emplace_back(size, size);
      for (Eigen::Index i = 0; i < size; ++i)
        for (Eigen::Index j = 0; j <= i; ++j)
          gram(i, j) = gram(j, i) = one->sum(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
    }
    importance_ = joint.mean_squares();
    for (const Eigen::MatrixXd& gram : grams_) signals_.push_back(power(rows_, gram));
  }

  /// The sum over the products and Gather.
  double shares(const BlockForm& form) const {
    std::vector<float> error = searched_blocks(rows_, columns_, form, importance_).values();
    for (std::size_t i = 0; i < error.size(); ++i) error[i] -= rows_[i];
    const double power_of_rows = power(rows_);
    double sum = power_of_rows > 0 ? gathers_ * power(error) / power_of_rows : 0;
    for (std::size_t i = 0; i < grams_.size(); ++i)
      if (signals_[i] > 0) sum += power(error, grams_[i]) / signals_[i];
    return sum;
  }

 private:
  using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  double power(const std::vector<float>& rows, const Eigen::MatrixXd& gram) const {
    const auto width = static_cast<Eigen::Index>(columns_);
    const Eigen::MatrixXd matrix =
        Eigen::Map<const Rows>(rows.data(), static_cast<Eigen::Index>(rows.size()) / width, width).cast<double>();
    return (matrix * gram).cwiseProduct(matrix).sum();
  }
  static double power(const std::vector<float>& rows) {
    return std::transform_reduce(rows.begin(), rows.end(), 0.0, std::plus<>(),
                                 [](float x) { return static_cast<double>(x) * static_cast<double>(x); });
  }

  std::size_t columns_;
  double gathers_;
  std::vector<float> importance_{}, rows_{};
  std::vector<Eigen::MatrixXd> grams_{};
  std::vector<double> signals_{};
};

inline std::size_t gathers_of(const Value& table) {
  std::size_t count = 0;
  for (const Use& use : table.uses()) count += !use.is_graph_output() && use.user()->is("Gather");
  return count;
}

/// The weights of a graph, whose forms have no losses yet.
class WeightChoices {
 public:
  WeightChoices(Graph& graph, const Target& target, const BlockwiseOptions& options, const KeptInFloat& kept) {
    std::map<std::tuple<const Value*, bool, float>, std::size_t> places;
    ConstantProduct product;
    for (Graph* const scope : with_bodies(graph)) {
      for (Node& node : scope->nodes()) {
        if (!is_product(node) || kept.holds(node) || !read_block_product(node, product)) continue;
        const auto [place, is_new] =
            places.try_emplace({product.w, product.transposes_w, product.alpha}, all.size());
        if (is_new && !add(product, forms_within_budget(node, product, target, options, kept), options.operators)) {
          places.erase(place);
          continue;
        }
        WeightChoice& choice = all[place->second];
        choice.scopes.insert(scope);
        if (scope != &graph) continue;
        choice.readers.push_back(&node);
        by_reader_.emplace(&node, place->second);
      }
    }
    for (WeightChoice& choice : all)
      for (WeightChoice::Form& form : choice.forms) form.stored_bits *= static_cast<double>(choice.scopes.size());
  }

  /// Whether the product is one of these weights'.
  bool reads(const Node& node, ConstantProduct& product) const {
    return by_reader_.contains(&node) && read_block_product(node, product);
  }

  /// The weights of some products, each once.
  std::set<std::size_t> of(const std::vector<Node*>& products) const {
    std::set<std::size_t> found;
    for (const Node* const node : products) found.insert(by_reader_.at(node));
    return found;
  }

  /// Finds what the forms of a weight lose.
  void learn(WeightChoice& choice, const Statistics<GramMatrix>& inputs) const {
    std::vector<const GramMatrix*> grams;
    ConstantProduct product;
    for (const Node* const reader : choice.readers) {
      if (!ConstantProduct::read(*reader, product) || product.transposes_x) continue;
      const GramMatrix* const gram = inputs.find(product.x->name());
      if (gram != nullptr && gram->columns() == static_cast<std::size_t>(choice.columns)) grams.push_back(gram);
    }
    if (grams.empty()) return;
    const ProductNoise noise(choice.product.rows(), grams, choice.gathers);
    for (WeightChoice::Form& form : choice.forms) form.loss = noise.shares(form.blocks);
  }

  /// The losses of the weights of these products, as bytes.
  std::string losses(const std::vector<Node*>& products) const {
    onnx::TensorProto message;
    for (const std::size_t i : of(products)) {
      message.add_int64_data(static_cast<std::int64_t>(i));
      for (const WeightChoice::Form& form : all[i].forms) message.add_double_data(form.loss);
    }
    return message.SerializeAsString();
  }

  /// Takes the losses() of another rank. Throws Error if they are not those of this graph.
  void take(const std::string& losses) {
    onnx::TensorProto message;
    if (!message.ParseFromString(losses)) throw Error("the message of another rank cannot be read");
    int next = 0;
    for (const std::int64_t i : message.int64_data()) {
      if (i < 0 || i >= static_cast<std::int64_t>(all.size())) throw Error("another rank has another graph");
      for (WeightChoice::Form& form : all[static_cast<std::size_t>(i)].forms) {
        if (next == message.double_data_size()) throw Error("another rank has another graph");
        form.loss = message.double_data(next++);
      }
    }
    if (next != message.double_data_size()) throw Error("another rank has another graph");
  }

  std::vector<WeightChoice> all{};

 private:
  /// Whether the weight has a form.
  bool add(const ConstantProduct& product, const std::vector<StoredForm>& forms, BlockOperators operators) {
    const Dims dims = product.w->constant()->dims();
    WeightChoice choice{.product = product,
                        .rows = dims[product.transposes_w ? 0 : 1],
                        .columns = dims[product.transposes_w ? 1 : 0]};
    for (const StoredForm& form : forms) {
      const double bits = stored_bits(choice.rows, choice.columns, form.blocks, operators);
      choice.forms.push_back({form.blocks, bits, 0});
      if (form.is_tied) choice.gathers = gathers_of(*product.w);
    }
    if (choice.forms.empty()) return false;
    all.push_back(std::move(choice));
    return true;
  }

  std::unordered_map<const Node*, std::size_t> by_reader_{};
};

/// Spends what `most` bits leave beyond the fewest on the forms that gain most.
inline void spend_bits(std::vector<WeightChoice>& choices, double most) {
  double stored = 0;
  std::priority_queue<std::pair<double, std::size_t>> gains;
  const auto offer = [&](std::size_t i) {
    WeightChoice& choice = choices[i];
    if (choice.chosen + 1 < choice.forms.size() && choice.gain() > 0) gains.emplace(choice.gain(), i);
  };
  for (std::size_t i = 0; i < choices.size(); ++i) {
    stored += choices[i].forms.front().stored_bits;
    offer(i);
  }
  while (!gains.empty()) {
    const std::size_t i = gains.top().second;
    gains.pop();
    WeightChoice& choice = choices[i];
    const double added = choice.forms[choice.chosen + 1].stored_bits - choice.forms[choice.chosen].stored_bits;
    if (stored + added > most) continue;  // a smaller weight may still have room
    stored += added;
    ++choice.chosen;
    offer(i);
  }
}

/// The bits of all weights together. Throws Error if the fewest that each can have are more.
inline double most_bits(const std::vector<WeightChoice>& choices, const BlockwiseOptions& options) {
  double elements = 0, fewest = 0;
  for (const WeightChoice& choice : choices) {
    elements += choice.size();
    fewest += choice.forms.front().stored_bits;
  }
  const double most = *options.bits_per_weight * elements;
  if (fewest > most)
    throw Error("the weights take at least " + shortest_decimal(std::ceil(100 * fewest / elements) / 100) +
                " bits on average, with their scales, more than " + shortest_decimal(*options.bits_per_weight) +
                ": greater blocks take fewer, and so do symmetric ones")
        .field("bits_per_weight");
  return most;
}

/// The pass of both forms of choose_weight_bits(). learn: finds the losses; returns a report, which may be cancelled.
inline Pass weight_bits_pass(const Target& target, BlockwiseOptions given,
                             std::function<Report(Graph&, Context&, WeightChoices&)> learn) {
  given.check();
  if (!given.bits_per_weight) throw Error("is not given").field("bits_per_weight");
  given.weights = block_form(given);
  const auto run = [target, options = std::move(given), learn = std::move(learn)](Graph& graph, Context& context) {
    WeightChoices choices(graph, target, options, context.facts.value_or_default<KeptInFloat>());
    const double most = most_bits(choices.all, options);
    Report report = learn(graph, context, choices);
    if (report.outcome == Outcome::cancelled) return report;
    spend_bits(choices.all, most);
    ProductForms forms = context.facts.value_or_default<ProductForms>();
    for (const WeightChoice& choice : choices.all) {
      report.changes += choice.chosen != 0;
      for (Node* const reader : choice.readers)
        forms.choose(*reader, ProductForm::weight_only,
                     choice.chosen == 0 ? "others lose more by few bits" : "it loses more than others by fewer bits",
                     choice.forms[choice.chosen].blocks.bits);
    }
    context.facts.provide(std::move(forms));
    return report;
  };
  return pass("choose_weight_bits", run).provides<ProductForms>().preserves_all();
}

}  // namespace detail

GRAFT_INLINE Pass choose_weight_bits(const Target& target, BlockwiseOptions options) {
  const auto learn = [](Graph&, Context& context, detail::WeightChoices& choices) {
    Report report;
    for (detail::WeightChoice& choice : choices.all) {
      if (context.is_cancelled()) {
        report.outcome = Outcome::cancelled;
        break;
      }
      choices.learn(choice, *context.facts.find<Statistics<GramMatrix>>());
    }
    return report;
  };
  return detail::weight_bits_pass(target, std::move(options), learn).needs<Statistics<GramMatrix>>();
}

GRAFT_INLINE Pass choose_weight_bits(const Target& target, BlockwiseOptions options, SampleSource samples,
                                     BlockwiseLearning learning) {
  const auto learn = [samples = std::move(samples), learning = std::move(learning)](
                         Graph& graph, Context& context, detail::WeightChoices& choices) {
    const auto reads = [&](const Node& node, detail::ConstantProduct& product) { return choices.reads(node, product); };
    const detail::GroupLearning work{
        .learn =
            [&](const detail::ProductGroup& group, const Statistics<GramMatrix>& inputs) {
              for (const std::size_t i : choices.of(group.products)) choices.learn(choices.all[i], inputs);
            },
        .learned = [&](const detail::ProductGroup& group) { return choices.losses(group.products); },
        .take = [&](const std::string& losses) { choices.take(losses); },
        .finish = [](const detail::ProductGroup&) {}};
    return detail::learn_by_groups(detail::product_groups(graph, reads, samples, learning, context.threads), graph,
                                   context, samples, learning, "choose_weight_bits", work);
  };
  return detail::weight_bits_pass(target, std::move(options), learn);
}

}  // namespace graft::inline v1
