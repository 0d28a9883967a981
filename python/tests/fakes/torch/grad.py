import threading


class _State(threading.local):
    enabled = True


_state = _State()


def is_grad_enabled():
    return _state.enabled


class no_grad:
    def __enter__(self):
        self.before, _state.enabled = _state.enabled, False

    def __exit__(self, *_):
        _state.enabled = self.before


inference_mode = no_grad
