# Two commands: `make study` does the main job, `make test` shows that everything works.
# Both set up .venv by themselves; a machine needs Python 3.11 or newer and nothing else.

PYTHON ?= python3
BIN := .venv/bin
WORKERS ?= 2
comma := ,
EXTRAS := desktop,web,cluster,rl,openspiel,onnx,notebook,gif,live

.PHONY: study test test-fast lint lint-js format docs clean check-kaggle recipes wheel release-check lock

study: .venv/installed
	$(BIN)/inarow study compare --out build/compare --workers $(WORKERS) --force --pdf

test: .venv/installed-dev lint
	$(BIN)/python -m inarow.kernels.warm
	$(BIN)/python -m pytest -n $(WORKERS)

# The core without docs, commands, browser, window, cluster and sandbox: under a minute.
test-fast: .venv/installed-dev
	$(BIN)/python -m pytest -n $(WORKERS) --ignore=tests/agents/external $(addprefix tests/,agents drawing match models rules stats tracing truth)

lint: .venv/installed-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: .venv/installed-dev
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

# The page's scripts and style sheets: types and formatting. Needs Node.js.
JS = build/js/node_modules/.bin
lint-js:
	@mkdir -p build/js
	npm install --silent --no-save --no-package-lock --prefix build/js typescript@7.0.2 prettier@3.10.1
	$(JS)/tsc -p tsconfig.json
	$(JS)/prettier --check --log-level warn --print-width 120 "src/inarow/web/static/**/*.{js,css}"

docs: .venv/installed-docs
	$(BIN)/sphinx-build -W --keep-going -q -b html docs build/docs
	@echo "The documentation: build/docs/index.html"

# Checks against projects that pin old versions of others, or are heavy: each in an environment of its own.

check-kaggle: .venv/installed
	test -x build/kaggle-venv/bin/python || $(PYTHON) -m venv build/kaggle-venv
	build/kaggle-venv/bin/python -m pip install --quiet kaggle-environments
	rm -rf build/kaggle && mkdir -p build/kaggle
	for agent in alphabeta ntuple; do $(BIN)/inarow export $$agent --out build/kaggle/$$agent.py || exit 1; done
	build/kaggle-venv/bin/python tests/outside/kaggle_matches.py build/kaggle
	for file in build/kaggle/*.json; do \
		$(BIN)/inarow convert --from replay --file $$file --to record --out $$file.jsonl && \
		$(BIN)/inarow convert --from record --file $$file.jsonl --to replay --out $$file.replay || exit 1; done
	build/kaggle-venv/bin/python tests/outside/kaggle_matches.py build/kaggle --show

recipes: pyproject.toml
	test -x build/recipes-venv/bin/python || $(PYTHON) -m venv build/recipes-venv
	build/recipes-venv/bin/python -m pip install --quiet --editable '.[rl,torch]' sb3-contrib pytest hypothesis pytest-timeout
	build/recipes-venv/bin/python -m pytest tests/agents/test_torch.py tests/outside/torch_export.py
	build/recipes-venv/bin/python examples/recipes/sb3_maskable_ppo.py 5000
	build/recipes-venv/bin/python examples/recipes/cleanrl_ppo.py 20

wheel: .venv/installed-dev
	$(BIN)/python scripts/build_wheel.py dist

# The release check-list, all but the upload.
release-check: .venv/installed-dev
	$(BIN)/python scripts/release_check.py

# The versions and hashes of all that is installed to work on inarow, for every system. Needs uv.
# To install just these: pip install --require-hashes -r requirements.lock && pip install --no-deps --editable .
lock:
	uv pip compile pyproject.toml $(addprefix --extra ,$(subst $(comma), ,$(EXTRAS))) --group dev --universal --upgrade \
		--generate-hashes --no-emit-index-url --no-annotate --custom-compile-command 'make lock' --quiet -o requirements.lock

clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

.venv/installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "inarow needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.12")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --editable ".[desktop,web]"
	@touch $@

.venv/installed-dev: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable '.[$(EXTRAS)]' --group dev
	@touch $@ .venv/installed

.venv/installed-docs: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable . --group docs
	@touch $@ .venv/installed
