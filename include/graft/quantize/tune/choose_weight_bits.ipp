#pragma once
#include <graft/quantize/tune/choose_weight_bits.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <queue>
#include <span>
#include <string>
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
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/need.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {
namespace detail {

/// A weight, its readers, the inputs of these, and what each number of bits costs.
struct WeightChoice {
  struct Form {
    int bits;
    double stored_bits, loss;
  };
  ConstantProduct product{};  ///< the first
  std::int64_t rows = 0, columns = 0;
  std::vector<int> bits{};
  std::vector<Node*> readers{};
  std::vector<const GramMatrix*> inputs{};
  std::vector<Form> forms{};  ///< by bits; the first has the fewest
  std::size_t chosen = 0;

  double size() const { return static_cast<double>(rows) * static_cast<double>(columns); }
  /// What the next form saves of the loss, for each stored bit.
  double gain() const {
    const Form &now = forms[chosen], &next = forms[chosen + 1];
    return (now.loss - next.loss) / (next.stored_bits - now.stored_bits);
  }
};

inline double stored_bits(std::int64_t rows, std::int64_t columns, const BlockForm& form) {
  const std::int64_t blocks = (columns + form.block_size - 1) / form.block_size;
  const std::int64_t of_block = form.bits * form.block_size + 32 + (form.symmetric ? 0 : form.bits);
  return static_cast<double>(rows * blocks * of_block);
}

/// The shares of the power of products of one weight with their inputs that are noise, by form.
class ProductNoise {
 public:
  ProductNoise(const Tensor& matrix, std::span<const GramMatrix* const> inputs) : columns_(inputs[0]->columns()) {
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

  /// The sum over the products.
  double shares(const BlockForm& form) const {
    std::vector<float> error = searched_blocks(rows_, columns_, form, importance_).values();
    for (std::size_t i = 0; i < error.size(); ++i) error[i] -= rows_[i];
    double sum = 0;
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

  std::size_t columns_;
  std::vector<float> importance_{}, rows_{};
  std::vector<Eigen::MatrixXd> grams_{};
  std::vector<double> signals_{};
};

/// Numbers of bits from the fewest on for which the target has the operator.
inline std::vector<int> kernel_bits(const Target& target, const BlockwiseOptions& options, std::int64_t columns) {
  std::vector<int> found;
  BlockForm form = block_form(options);
  for (; form.bits <= 8; ++form.bits)
    if (takes_blocks(target, block_operator(options.operators), form, columns)) found.push_back(form.bits);
  return found;
}

inline std::vector<WeightChoice> weight_choices(Graph& graph, const Target& target, const BlockwiseOptions& options,
                                                const KeptInFloat& kept, const Statistics<GramMatrix>& inputs) {
  std::vector<WeightChoice> choices;
  std::map<std::pair<const Value*, bool>, std::size_t> places;
  ConstantProduct product;
  for (Node& node : graph.nodes()) {
    if (!is_product(node) || kept.holds(node) || !read_block_product(node, product)) continue;
    const auto [place, is_new] = places.try_emplace({product.w, product.transposes_w}, choices.size());
    if (is_new) {
      const Dims dims = product.w->constant()->dims();
      WeightChoice choice{.product = product,
                          .rows = dims[product.transposes_w ? 0 : 1],
                          .columns = dims[product.transposes_w ? 1 : 0]};
      choice.bits = kernel_bits(target, options, choice.columns);
      if (choice.bits.empty() || choice.size() == 0) {
        places.erase(place);
        continue;
      }
      choices.push_back(std::move(choice));
    }
    WeightChoice& choice = choices[place->second];
    choice.readers.push_back(&node);
    const GramMatrix* const gram = product.transposes_x ? nullptr : inputs.find(product.x->name());
    if (gram != nullptr && gram->columns() == static_cast<std::size_t>(choice.columns)) choice.inputs.push_back(gram);
  }
  return choices;
}

inline void find_losses(WeightChoice& choice, BlockForm form) {
  std::optional<ProductNoise> noise;
  if (!choice.inputs.empty()) noise.emplace(permuted(choice.product.weight(), {1, 0}), choice.inputs);
  for (const int bits : choice.bits) {
    form.bits = bits;
    choice.forms.push_back({bits, stored_bits(choice.rows, choice.columns, form), noise ? noise->shares(form) : 0});
  }
}

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

}  // namespace detail

GRAFT_INLINE Pass choose_weight_bits(const Target& target, BlockwiseOptions options) {
  options.weights.check();
  if (!options.bits_per_weight) throw Error("is not given").field("bits_per_weight");
  const auto run = [target, options = std::move(options)](Graph& graph, Context& context) {
    Report report;
    std::vector<detail::WeightChoice> choices = detail::weight_choices(
        graph, target, options, context.facts.value_or_default<KeptInFloat>(),
        *context.facts.find<Statistics<GramMatrix>>());
    double elements = 0, fewest = 0;
    for (detail::WeightChoice& choice : choices) {
      if (context.is_cancelled()) {
        report.outcome = Outcome::cancelled;
        return report;
      }
      detail::find_losses(choice, detail::block_form(options));
      elements += choice.size();
      fewest += choice.forms.front().stored_bits;
    }
    const double most = *options.bits_per_weight * elements;
    if (fewest > most)
      throw Error("weights of " + std::to_string(options.weights.bits) + " bits take " +
                  shortest_decimal(fewest / elements) + " bits with their scales, more than " +
                  shortest_decimal(*options.bits_per_weight))
          .field("bits_per_weight");
    detail::spend_bits(choices, most);
    ProductForms forms = context.facts.value_or_default<ProductForms>();
    for (const detail::WeightChoice& choice : choices) {
      report.changes += choice.chosen != 0;
      for (Node* const reader : choice.readers)
        forms.choose(*reader, ProductForm::weight_only,
                     choice.chosen == 0 ? "others lose more by few bits" : "it loses more than others by fewer bits",
                     choice.forms[choice.chosen].bits);
    }
    context.facts.provide(std::move(forms));
    return report;
  };
  return pass("choose_weight_bits", run).needs<Statistics<GramMatrix>>().provides<ProductForms>().preserves_all();
}

}  // namespace graft::inline v1
