#pragma once
#include <concepts>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <graft/evaluate/executor.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1 {

/// An Executor of any type. Code that only runs graphs is compiled once for all types.
class AnyExecutor {
 public:
  template <class E>
    requires(!std::same_as<E, AnyExecutor> && Executor<E>)
  AnyExecutor(E executor) : AnyExecutor(of([&]() -> E { return std::move(executor); })) {}
  /// Refers to an executor, which must outlive this: AnyExecutor(std::ref(session)).
  template <Executor E>
  AnyExecutor(std::reference_wrapper<E> executor)
      : held_(std::make_unique<Holder<E&>>([&]() -> E& { return executor.get(); })) {}

  /// Owns the result of make(), which need not be movable.
  template <std::invocable F>
    requires Executor<std::decay_t<std::invoke_result_t<F&>>>
  static AnyExecutor of(F&& make) {
    return AnyExecutor(std::make_unique<Holder<std::decay_t<std::invoke_result_t<F&>>>>(make));
  }

  std::vector<Tensor> run(const Feeds& feeds, const Fetches& fetches) { return held_->run(feeds, fetches); }
  void observe(const Feeds& feeds, const Fetches& fetches, const Observer& observer) {
    held_->observe(feeds, fetches, observer);
  }

 private:
  struct Held {
    virtual ~Held() = default;
    virtual std::vector<Tensor> run(const Feeds& feeds, const Fetches& fetches) = 0;
    virtual void observe(const Feeds& feeds, const Fetches& fetches, const Observer& observer) = 0;
  };
  template <class E>
  struct Holder final : Held {
    template <class Make>
    explicit Holder(const Make& make) : executor(make()) {}
    std::vector<Tensor> run(const Feeds& feeds, const Fetches& fetches) override {
      return executor.run(feeds, fetches);
    }
    void observe(const Feeds& feeds, const Fetches& fetches, const Observer& observer) override {
      executor.observe(feeds, fetches, observer);
    }
    E executor;
  };

  explicit AnyExecutor(std::unique_ptr<Held> held) : held_(std::move(held)) {}

  std::unique_ptr<Held> held_;
};

}  // namespace graft::inline v1
