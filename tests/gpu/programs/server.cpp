// A server of one model in C++: 200 calls, a bad one in the middle. server PACKAGE gather cuda|cpu
#include "aoti_record.h"

#include <iostream>

int main(int, char** argv) {
  c10::InferenceMode mode;
  auto device = at::Device(argv[2]);
  torch::inductor::AOTIModelPackageLoader loader(argv[1]);
  aoti_record::Recorded model(loader, argv[1]);
  std::vector<std::vector<at::Tensor>> given;
  for (int call = 0; call < 200; ++call) {
    int rows = 30 + call % 5;
    auto ids = at::randint(0, 500, {rows, 4}, at::kLong);
    if (call == 100) ids[7][2] = 777;
    given.push_back({ids.to(device), at::rand({rows, 4, 1}).to(device)});
  }
  for (auto& inputs : given) model.run(inputs);
  std::cout << model.run(given[0])[0].sum().item<float>() << std::endl;
}
