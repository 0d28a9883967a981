_before, _after, _always = {}, {}, set()
has_always_call = True


class _Handle:
    def __init__(self, hooks, hook):
        self.hooks, self.hook = hooks, hook
        hooks[id(self)] = hook

    def remove(self):
        self.hooks.pop(id(self), None)


def register_module_forward_pre_hook(hook):
    return _Handle(_before, hook)


def register_module_forward_hook(hook, **named):
    if named and not has_always_call:
        raise TypeError("register_module_forward_hook() got an unexpected keyword argument")
    handle = _Handle(_after, hook)
    if named.get("always_call"):
        _always.add(hook)
    return handle


class Module:
    def __call__(self, *arguments):
        for hook in list(_before.values()):
            hook(self, arguments)
        try:
            result = self.forward(*arguments)
        except Exception:
            for hook in list(_after.values()):
                if hook in _always:
                    hook(self, arguments, None)
            raise
        for hook in list(_after.values()):
            hook(self, arguments, result)
        return result
