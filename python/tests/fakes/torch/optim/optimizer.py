_before, _after = {}, {}


def register_optimizer_step_pre_hook(hook):
    from ..nn.modules.module import _Handle

    return _Handle(_before, hook)


def register_optimizer_step_post_hook(hook):
    from ..nn.modules.module import _Handle

    return _Handle(_after, hook)


class Optimizer:
    def step(self, closure=None):
        for hook in list(_before.values()):
            hook(self, (), {})
        loss = closure() if closure else None
        for hook in list(_after.values()):
            hook(self, (), {})
        return loss
