"""From Python's syntax tree to LLVM's language: statements and expressions of kernels.

One walk over the tree of each function. Every value is a few machine words (see `kinds`); a variable is a place on the
stack for each word, which LLVM turns into registers. A function is translated once for each list of argument kinds.
What is allowed, and what it means: docs/kernels.md. Operations are in `operations`, calls of known functions in
`builtins`.
"""

from __future__ import annotations

import ast
import builtins as python
import types
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir

from inarow.kernels.lang import operations as op
from inarow.kernels.lang.kinds import (
    BOOL,
    FLOAT,
    FLOAT32,
    INT,
    NONE,
    ArrayOf,
    Content,
    Kind,
    Number,
    Reference,
    Scalar,
    Struct,
    TupleOf,
    annotated_kind,
    unified,
)
from inarow.kernels.lang.operations import POINTER, WORD, Value, words_of
from inarow.kernels.lang.sources import KernelError, function_of, tree_of


class _Widen(Exception):
    """A variable needs a wider kind than it was given: the function is translated again."""

    def __init__(self, name: str, kind: Kind) -> None:
        self.name, self.kind = name, kind


class Static:
    """What is known when a kernel is compiled: a module, a class or a function."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Function:
    """A function for arguments of given kinds, as LLVM sees it."""

    def __init__(self, code: ir.Function, result: Kind) -> None:
        self.code, self.result = code, result


class Unit:
    """A kernel and all that it calls, as one module."""

    def __init__(self, checked: bool) -> None:
        self.module = ir.Module()
        self.checked = checked
        """Whether indices are compared with the lengths of arrays."""
        self._functions: dict[tuple[Any, ...], Function] = {}
        self._results: dict[tuple[Any, ...], Kind] = {}
        self._texts: dict[str, ir.GlobalVariable] = {}

    def function(self, python_function: Callable[..., Any], kinds: tuple[Kind, ...]) -> Function:
        """Return the translation of a function for arguments of these kinds."""
        tree = tree_of(python_function)
        if len(tree.args.args) != len(kinds):
            raise TypeError(
                f"{python_function.__name__} takes {len(tree.args.args)} arguments, {len(kinds)} were given"
            )
        scope = python_function.__globals__
        wanted = (annotated_kind(argument.annotation, scope) for argument in tree.args.args)
        kinds = tuple(
            fixed if isinstance(fixed, Number) and isinstance(kind, Number) else kind
            for kind, fixed in zip(kinds, wanted, strict=True)
        )
        key = (python_function, kinds)
        if key not in self._functions:
            result = annotated_kind(tree.returns, scope) or self._result_of(python_function, kinds)
            given = [word for kind in kinds for word in words_of(kind)]
            code = ir.Function(
                self.module,
                ir.FunctionType(op.result_type(result), [POINTER] * self.checked + given),
                f"{python_function.__module__}.{python_function.__qualname__}.{len(self._functions)}",
            )
            code.linkage = "internal"
            code.attributes.add("nounwind")
            self._functions[key] = Function(code, result)
            _translate(self, python_function, kinds, code, result)
        return self._functions[key]

    def _result_of(self, python_function: Callable[..., Any], kinds: tuple[Kind, ...]) -> Kind:
        """Return the kind of result of a function whose annotation leaves it open, by translating it twice."""
        key = (python_function, kinds)
        if key not in self._results:
            trial = Unit(self.checked)
            given = [word for kind in kinds for word in words_of(kind)]
            code = ir.Function(trial.module, ir.FunctionType(ir.VoidType(), [POINTER] * self.checked + given), "trial")
            self._results[key] = _translate(trial, python_function, kinds, code, None)
        return self._results[key]

    def text(self, content: str) -> ir.Value:
        """Return the address of a text, ended by a zero."""
        if content not in self._texts:
            data = bytearray(content.encode() + b"\0")
            kind = ir.ArrayType(ir.IntType(8), len(data))
            variable = ir.GlobalVariable(self.module, kind, f"text.{len(self._texts)}")
            variable.linkage, variable.global_constant = "internal", True
            variable.initializer = ir.Constant(kind, data)
            self._texts[content] = variable
        return self._texts[content]


def _translate(
    unit: Unit, function: Callable[..., Any], kinds: tuple[Kind, ...], code: ir.Function, result: Kind | None
) -> Kind:
    """Write the body of a function; returns the kind of its result."""
    wide: dict[str, Kind] = {}
    while True:
        body = _Body(unit, function, code, result, wide)
        try:
            return body.write(kinds)
        except _Widen as needed:
            wide[needed.name] = needed.kind
            code.blocks.clear()


class _Slot:
    """The places of a variable's words."""

    def __init__(self, kind: Kind, places: list[ir.Value]) -> None:
        self.kind, self.places = kind, places


Scope = dict[str, _Slot]


class _Loop:
    """Where ``break`` and ``continue`` lead, and the variables known there."""

    def __init__(self, again: ir.Block, end: ir.Block) -> None:
        self.again, self.end = again, end
        self.breaks: list[Scope] = []
        self.repeats: list[Scope] = []


class _Body:
    """The body of a function while it is written."""

    def __init__(
        self,
        unit: Unit,
        function: Callable[..., Any],
        code: ir.Function,
        result: Kind | None,
        wide: dict[str, Kind],
    ) -> None:
        self.unit, self.python, self.code = unit, function, code
        self.tree = tree_of(function)
        self.globals = function.__globals__
        self.result, self.trial = result, result is None
        self.wide = wide
        self.slots: dict[tuple[str, Kind], _Slot] = {}
        self.scope: Scope = {}
        self.doubtful: dict[str, str] = {}
        self.loops: list[_Loop] = []
        self.node: ast.AST = self.tree
        self.local = {n.id for n in ast.walk(self.tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        self.local |= {argument.arg for argument in self.tree.args.args}
        self.start = code.append_basic_block("start")
        self.builder = ir.IRBuilder(code.append_basic_block("body"))
        self.trap = code.args[0] if unit.checked else None

    def fail(self, reason: str, node: ast.AST | None = None) -> KernelError:
        """Return the error for an expression or statement that can't be compiled."""
        return KernelError(self.python, node or self.node, reason)

    def write(self, kinds: tuple[Kind, ...]) -> Kind:
        """Write the function."""
        given = iter(self.code.args[1:] if self.unit.checked else self.code.args)
        for argument, kind in zip(self.tree.args.args, kinds, strict=True):
            self.assign_name(argument.arg, Value(kind, tuple(next(given) for _ in words_of(kind))))
        self.block(self.tree.body)
        if not self.builder.block.is_terminated:
            if self.result not in (None, NONE):
                raise self.fail(f"{self.python.__name__} may end without returning a value", self.tree)
            self.give_back(Value(NONE, ()))
        ir.IRBuilder(self.start).branch(self.code.blocks[1])
        return self.result or NONE

    # Statements.

    def block(self, statements: list[ast.stmt]) -> None:
        """Translate statements in turn; those after a jump are never reached."""
        for statement in statements:
            if self.builder.block.is_terminated:
                return
            self.node = statement
            self.method("stmt", statement)(statement)

    def method(self, prefix: str, node: ast.AST) -> Any:
        """Return what translates this sort of node."""
        found = getattr(self, f"{prefix}_{type(node).__name__.lower()}", None)
        if found is None:
            raise self.fail(f"kernels have no {type(node).__name__}", node)
        return found

    def stmt_expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.expression(node.value)

    def stmt_pass(self, node: ast.Pass) -> None:
        pass

    def stmt_assign(self, node: ast.Assign) -> None:
        value = self.expression(node.value)
        for target in node.targets:
            self.assign(target, value)

    def stmt_annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            value, kind = self.value(node.value), annotated_kind(node.annotation, self.globals)
            self.assign(node.target, value if kind is None else self.converted(value, kind))

    def stmt_augassign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            left = self.load_name(node.target)
            self.assign(node.target, self.operate(node.op, left, self.value(node.value)))
        else:
            place, content = self.place(node.target)
            left = op.read(self.builder, place, content)
            self.store(place, content, self.operate(node.op, left, self.value(node.value)))

    def stmt_return(self, node: ast.Return) -> None:
        self.give_back(Value(NONE, ()) if node.value is None else self.value(node.value))

    def give_back(self, value: Value) -> None:
        """Return a value from the function."""
        if self.trial:
            self.result = value.kind if self.result is None else unified(self.result, value.kind)
            if self.result is None:
                raise self.fail("the values that are returned differ in kind")
            self.builder.ret_void()
            return
        assert self.result is not None
        self.give_back_words(self.converted(value, self.result).words)

    def give_back_words(self, words: tuple[ir.Value, ...]) -> None:
        if not words:
            self.builder.ret_void()
        elif len(words) == 1:
            self.builder.ret(words[0])
        else:
            whole: ir.Value = ir.Constant(self.code.function_type.return_type, ir.Undefined)
            for i, word in enumerate(words):
                whole = self.builder.insert_value(whole, word, i)
            self.builder.ret(whole)

    def stmt_if(self, node: ast.If) -> None:
        yes, no, end = (self.code.append_basic_block(name) for name in ("if", "else", "endif"))
        self.branch_on(node.test, yes, no)
        before, known = self.scope, []
        for block, statements in ((yes, node.body), (no, node.orelse)):
            self.builder.position_at_end(block)
            self.scope = dict(before)
            self.block(statements)
            if not self.builder.block.is_terminated:
                known.append(self.scope)
                self.builder.branch(end)
        self.join(end, known)

    def join(self, block: ir.Block, scopes: list[Scope]) -> None:
        """Continue where several paths meet: a variable is known if it is known, in one kind, on all of them."""
        self.builder.position_at_end(block)
        if not scopes:
            self.builder.unreachable()
            self.scope = {}
            return
        first, *others = scopes
        self.scope = {}
        for name in dict.fromkeys(name for scope in scopes for name in scope):
            slots = [scope.get(name) for scope in (first, *others)]
            if all(slot is slots[0] for slot in slots) and slots[0] is not None:
                self.scope[name] = slots[0]
                continue
            kinds = [slot.kind for slot in slots if slot is not None]
            whole: Kind | None = kinds[0]
            for kind in kinds[1:]:
                whole = None if whole is None else unified(whole, kind)
            if whole is None:
                self.doubtful[name] = "has different kinds on the ways to here"
            elif any(kind != whole for kind in kinds):
                raise _Widen(name, whole)

    def stmt_while(self, node: ast.While) -> None:
        if node.orelse:
            raise self.fail("loops have no else")
        head, body, end = (self.code.append_basic_block(name) for name in ("while", "do", "endwhile"))
        self.builder.branch(head)
        self.builder.position_at_end(head)
        loop, before = _Loop(head, end), dict(self.scope)
        forever = isinstance(node.test, ast.Constant) and node.test.value is True
        if forever:
            self.builder.branch(body)
        else:
            self.branch_on(node.test, body, end)
        self.loop_body(loop, body, node.body)
        self.end_loop(loop, before, [] if forever else [before])

    def loop_body(self, loop: _Loop, body: ir.Block, statements: list[ast.stmt]) -> None:
        self.builder.position_at_end(body)
        self.loops.append(loop)
        self.block(statements)
        self.loops.pop()
        if not self.builder.block.is_terminated:
            loop.repeats.append(self.scope)
            self.builder.branch(loop.again)

    def end_loop(self, loop: _Loop, before: Scope, exits: list[Scope]) -> None:
        for scope in loop.repeats:
            for name, slot in before.items():
                if scope.get(name) is not slot:
                    raise self.fail(f"{name} changes its kind in a loop")
        self.join(loop.end, exits + loop.breaks)

    def stmt_for(self, node: ast.For) -> None:
        if node.orelse:
            raise self.fail("loops have no else")
        if isinstance(node.iter, ast.Tuple):
            self.unrolled(node, node.iter)
            return
        if not (isinstance(node.iter, ast.Call) and self.static(node.iter.func) is range):
            raise self.fail("kernels loop over range(…) and over tuples", node.iter)
        limits = [self.converted(self.value(argument), INT).word for argument in node.iter.args]
        start, stop = (WORD(0), limits[0]) if len(limits) == 1 else limits[:2]
        step = limits[2] if len(limits) == 3 else WORD(1)
        if not isinstance(step, ir.Constant) or step.constant == 0:
            raise self.fail("the step of a range must be a constant other than 0", node.iter)
        builder, counter = self.builder, self.allocate(WORD)
        head, body, again, end = (self.code.append_basic_block(name) for name in ("for", "do", "next", "endfor"))
        builder.store(start, counter)
        builder.branch(head)
        builder.position_at_end(head)
        now = builder.load(counter, typ=WORD)
        builder.cbranch(builder.icmp_signed("<" if step.constant > 0 else ">", now, stop), body, end)
        loop, before = _Loop(again, end), dict(self.scope)
        builder.position_at_end(body)
        self.assign(node.target, Value(INT, (now,)))
        self.loop_body(loop, builder.block, node.body)
        builder.position_at_end(again)
        flags = ("nsw",) if abs(step.constant) == 1 else ()
        builder.store(builder.add(now, step, flags=flags), counter)
        builder.branch(head)
        self.end_loop(loop, before, [before])

    def unrolled(self, node: ast.For, items: ast.Tuple) -> None:
        """Repeat the body for each item of a tuple."""
        end = self.code.append_basic_block("endfor")
        breaks: list[Scope] = []
        for item in items.elts:
            if self.builder.block.is_terminated:
                break
            again = self.code.append_basic_block("next")
            loop = _Loop(again, end)
            self.assign(node.target, self.value(item))
            self.loop_body(loop, self.builder.block, node.body)
            breaks += loop.breaks
            self.join(again, loop.repeats)
        if not self.builder.block.is_terminated:
            breaks.append(self.scope)
            self.builder.branch(end)
        self.join(end, breaks)

    def stmt_break(self, node: ast.Break) -> None:
        self.loops[-1].breaks.append(self.scope)
        self.builder.branch(self.loops[-1].end)

    def stmt_continue(self, node: ast.Continue) -> None:
        self.loops[-1].repeats.append(self.scope)
        self.builder.branch(self.loops[-1].again)

    # Variables and places.

    def allocate(self, kind: ir.Type, count: int | None = None) -> ir.Value:
        """Reserve room on the stack for as long as the function runs."""
        return op.reserve(ir.IRBuilder(self.start), kind, None if count is None else WORD(count))

    def assign(self, target: ast.expr, value: Value | Static) -> None:
        """Assign to a name, a subscript or a tuple of them."""
        if isinstance(value, Static):
            raise self.fail("only numbers, tuples and arrays can be assigned", target)
        if isinstance(target, ast.Name):
            self.assign_name(target.id, value)
        elif isinstance(target, ast.Tuple):
            if not isinstance(value.kind, TupleOf) or len(value.kind.parts) != len(target.elts):
                raise self.fail(f"a tuple of {len(target.elts)} values is expected", target)
            for part, one in zip(target.elts, op.parts(value), strict=True):
                self.assign(part, one)
        else:
            place, content = self.place(target)
            self.store(place, content, value)

    def assign_name(self, name: str, value: Value) -> None:
        kind = value.kind
        if name in self.wide:
            kind = unified(self.wide[name], kind) or kind
        known = self.scope.get(name)
        if known is not None and known.kind != kind:
            whole = unified(known.kind, kind)
            if whole == known.kind:
                kind = known.kind
            elif whole is not None and not _arrays_in(whole):
                raise _Widen(name, whole)
        value = self.converted(value, kind)
        if (name, kind) not in self.slots:
            self.slots[name, kind] = _Slot(kind, [self.allocate(word) for word in words_of(kind)])
        slot = self.scope[name] = self.slots[name, kind]
        for word, place in zip(value.words, slot.places, strict=True):
            self.builder.store(word, place)

    def load_name(self, node: ast.Name) -> Value:
        """Return the value of a variable."""
        slot = self.scope.get(node.id)
        if slot is None:
            raise self.fail(f"{node.id} {self.doubtful.get(node.id, 'is not assigned on every way to here')}", node)
        return Value(
            slot.kind,
            tuple(
                self.builder.load(place, typ=word) for place, word in zip(slot.places, words_of(slot.kind), strict=True)
            ),
        )

    def store(self, place: ir.Value, content: Content, value: Value) -> None:
        """Write a value to memory."""
        if isinstance(content, Struct):
            if value.kind != Reference(content):
                raise self.fail("a record is expected")
            op.copy(self.builder, place, value.word, content.size)
            return
        if not isinstance(content, Scalar) or not isinstance(value.kind, Number):
            raise self.fail("a number is expected")
        if content.kind in (INT, BOOL) and value.kind in (FLOAT, FLOAT32):
            raise self.fail("a float can't be stored as an integer; use int(…)")
        op.store(self.builder, place, content, value)

    def place(self, node: ast.expr) -> tuple[ir.Value, Content]:
        """Return the address of an element or field, and what is there."""
        if isinstance(node, ast.Attribute):
            return self.field(self.value(node.value), node.attr, node)
        if not isinstance(node, ast.Subscript):
            raise self.fail("kernels assign to names, elements and fields", node)
        whole = self.value(node.value)
        if isinstance(whole.kind, Reference) and isinstance(node.slice, ast.Constant):
            return self.field(whole, str(node.slice.value), node)
        found, rest = self.element(whole, node)
        if rest:
            raise self.fail(f"{len(rest)} more indices are expected", node)
        assert isinstance(whole.kind, ArrayOf)
        return found, whole.kind.element

    def field(self, whole: Value, name: str, node: ast.AST) -> tuple[ir.Value, Content]:
        """Return the address of a field of a record, and what is there."""
        found = whole.kind.struct.field(name) if isinstance(whole.kind, Reference) else None
        if found is None:
            raise self.fail(f"there is no {name}", node)
        return op.offset(self.builder, whole.word, found[1]), found[0]

    def element(self, whole: Value, node: ast.Subscript) -> tuple[ir.Value, tuple[ir.Value, ...]]:
        """Return the address of an element, or of a row and its lengths if there are fewer indices than dimensions."""
        if not isinstance(whole.kind, ArrayOf):
            raise self.fail("only arrays and tuples have elements", node)
        if isinstance(node.ctx, ast.Store) and not whole.kind.writeable:
            raise self.fail("the array is read-only", node)
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if len(indices) > whole.kind.ndim:
            raise self.fail(f"{whole.kind.ndim} indices are expected", node)
        given = []
        for index, length in zip(indices, whole.words[1:], strict=False):
            if isinstance(index, ast.Slice):
                raise self.fail("kernels have no slices", node)
            number = self.value(index)
            if number.kind not in (INT, BOOL):
                raise self.fail("an index must be an integer", index)
            given.append(self.converted(number, INT).word)
            self.check(self.builder.icmp_unsigned("<", given[-1], length), "index out of range", node)
        return op.element(self.builder, whole, given), whole.words[1 + len(given) :]

    def check(self, sound: ir.Value, reason: str, node: ast.AST) -> None:
        """In checked kernels: return, and let the kernel raise an error, unless this holds."""
        if self.trap is None:
            return
        failed, ok = self.code.append_basic_block("failed"), self.code.append_basic_block("ok")
        self.builder.cbranch(sound, ok, failed)
        self.builder.position_at_end(failed)
        self.builder.store(self.unit.text(str(self.fail(reason, node))), self.trap)
        self.leave()
        self.builder.position_at_end(ok)

    def leave(self) -> None:
        """Return zeros: the caller looks at the trap."""
        if self.trial:
            self.builder.ret_void()
        else:
            assert self.result is not None
            self.give_back_words(tuple(ir.Constant(word, None) for word in words_of(self.result)))

    # Expressions.

    def value(self, node: ast.expr) -> Value:
        """Translate an expression that is a number, a tuple or an array."""
        found = self.expression(node)
        if isinstance(found, Static):
            raise self.fail(f"{ast.unparse(node)} is no value", node)
        return found

    def expression(self, node: ast.expr) -> Value | Static:
        """Translate an expression."""
        found: Value | Static = self.method("expr", node)(node)
        return found

    def static(self, node: ast.expr) -> Any:
        """Return what an expression is when the kernel is compiled, or None."""
        if isinstance(node, ast.Name) and node.id in self.local:
            return None
        if isinstance(node, (ast.Name, ast.Attribute)):
            found = self.expression(node)
            return found.value if isinstance(found, Static) else None
        return None

    def constant(self, value: Any, node: ast.AST) -> Value | Static:
        """Return a Python value that is known when the kernel is compiled."""
        if isinstance(value, (bool, np.bool_)):
            return Value(BOOL, (ir.Constant(ir.IntType(1), int(value)),))
        if isinstance(value, (int, np.integer)):
            if not -(1 << 63) <= int(value) < 1 << 63:
                raise self.fail("the number has more than 64 bits", node)
            return Value(INT, (WORD(int(value)),))
        if isinstance(value, np.float32):
            return Value(FLOAT32, (ir.Constant(ir.FloatType(), float(value)),))
        if isinstance(value, float):
            return Value(FLOAT, (ir.Constant(ir.DoubleType(), value),))
        if isinstance(value, tuple):
            return op.pack([self.needed(self.constant(part, node), node) for part in value], None)
        return Static(value)

    def needed(self, value: Value | Static, node: ast.AST) -> Value:
        if isinstance(value, Static):
            raise self.fail("a number, a tuple or an array is expected", node)
        return value

    def expr_constant(self, node: ast.Constant) -> Value | Static:
        if not isinstance(node.value, (bool, int, float)):
            raise self.fail(f"kernels have no {type(node.value).__name__}", node)
        return self.constant(node.value, node)

    def expr_name(self, node: ast.Name) -> Value | Static:
        if node.id in self.local:
            return self.load_name(node)
        missing = object()
        found = self.globals.get(node.id, getattr(python, node.id, missing))
        if found is missing:
            raise self.fail(f"{node.id} is not defined", node)
        return self.constant(found, node)

    def expr_attribute(self, node: ast.Attribute) -> Value | Static:
        whole = self.expression(node.value)
        if isinstance(whole, Static):
            if not hasattr(whole.value, node.attr):
                raise self.fail(f"there is no {ast.unparse(node)}", node)
            return self.constant(getattr(whole.value, node.attr), node)
        if isinstance(whole.kind, TupleOf) and whole.kind.named is not None:
            fields: tuple[str, ...] = whole.kind.named._fields  # type: ignore[attr-defined]
            if node.attr in fields:
                return op.parts(whole)[fields.index(node.attr)]
        if isinstance(whole.kind, Reference):
            return op.read(self.builder, *self.field(whole, node.attr, node))
        if isinstance(whole.kind, ArrayOf) and node.attr == "size":
            return Value(INT, (op.product(self.builder, whole.words[1:]),))
        if isinstance(whole.kind, ArrayOf) and node.attr == "shape":
            return op.pack([Value(INT, (length,)) for length in whole.words[1:]], None)
        raise self.fail(f"there is no {node.attr}", node)

    def expr_subscript(self, node: ast.Subscript) -> Value | Static:
        if isinstance(node.value, (ast.Name, ast.Attribute)) and self.static(node.value) is not None:
            raise self.fail("arrays are arguments of kernels, not globals", node)
        whole = self.value(node.value)
        if isinstance(whole.kind, Reference) and isinstance(node.slice, ast.Constant):
            return op.read(self.builder, *self.field(whole, str(node.slice.value), node))
        if isinstance(whole.kind, TupleOf) and isinstance(node.slice, ast.Constant):
            if not isinstance(node.slice.value, int) or not 0 <= node.slice.value < len(whole.kind.parts):
                raise self.fail("the tuple has no such part", node)
            return op.parts(whole)[node.slice.value]
        place, rest = self.element(whole, node)
        assert isinstance(whole.kind, ArrayOf)
        if rest:
            return Value(ArrayOf(whole.kind.element, len(rest), whole.kind.writeable), (place, *rest))
        return op.read(self.builder, place, whole.kind.element)

    def expr_tuple(self, node: ast.Tuple) -> Value:
        return op.pack([self.value(part) for part in node.elts], None)

    def expr_unaryop(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return self.truth_value(node)
        given = self.value(node.operand)
        if not isinstance(given.kind, Number):
            raise self.fail("a number is expected", node)
        if given.kind is BOOL:
            given = self.converted(given, INT)
        if isinstance(node.op, ast.USub):
            if isinstance(given.word, ir.Constant) and given.kind is INT:
                return Value(INT, (WORD(-given.word.constant),))
            minus = self.builder.neg if given.kind is INT else self.builder.fneg
            return Value(given.kind, (minus(given.word),))
        if isinstance(node.op, ast.Invert) and given.kind is INT:
            return Value(INT, (self.builder.not_(given.word),))
        raise self.fail("kernels have the signs -, ~ and not", node)

    def expr_binop(self, node: ast.BinOp) -> Value:
        return self.operate(node.op, self.value(node.left), self.value(node.right), node)

    def operate(self, sign: ast.operator, left: Value, right: Value, node: ast.AST | None = None) -> Value:
        """Apply an arithmetic operation."""
        node = node or self.node
        if not (isinstance(left.kind, Number) and isinstance(right.kind, Number)):
            raise self.fail("numbers are expected", node)
        if isinstance(sign, (ast.FloorDiv, ast.Mod)) and right.kind is INT and not isinstance(right.word, ir.Constant):
            self.check(self.builder.icmp_signed("!=", right.word, WORD(0)), "division by zero", node)
        found = op.arithmetic(self.builder, sign, left, right)
        if found is None:
            raise self.fail(f"kernels have no {type(sign).__name__} of {left.kind.name} and {right.kind.name}", node)
        return found

    def expr_compare(self, node: ast.Compare) -> Value:
        if len(node.ops) != 1:
            raise self.fail("compare two values at a time", node)
        left, right = self.value(node.left), self.value(node.comparators[0])
        if isinstance(node.ops[0], (ast.In, ast.NotIn)):
            if not isinstance(right.kind, TupleOf):
                raise self.fail("in is for tuples", node)
            found: ir.Value = ir.Constant(ir.IntType(1), 0)
            for part in op.parts(right):
                found = self.builder.or_(found, self.compare(ast.Eq(), left, part, node))
            return Value(BOOL, (found if isinstance(node.ops[0], ast.In) else self.builder.not_(found),))
        return Value(BOOL, (self.compare(node.ops[0], left, right, node),))

    def compare(self, sign: ast.cmpop, left: Value, right: Value, node: ast.AST) -> ir.Value:
        found = op.comparison(self.builder, sign, left, right)
        if found is None:
            raise self.fail("kernels compare numbers by <, <=, ==, !=, >= and >", node)
        return found

    def expr_boolop(self, node: ast.BoolOp) -> Value:
        return self.truth_value(node)

    def truth_value(self, node: ast.expr) -> Value:
        """Return the truth of a condition; ``and`` and ``or`` evaluate only what they need."""
        yes, no, end = (self.code.append_basic_block(name) for name in ("true", "false", "truth"))
        self.branch_on(node, yes, no, strict=isinstance(node, ast.BoolOp))
        for block in (yes, no):
            self.builder.position_at_end(block)
            self.builder.branch(end)
        self.builder.position_at_end(end)
        phi = self.builder.phi(ir.IntType(1))
        phi.add_incoming(ir.Constant(ir.IntType(1), 1), yes)
        phi.add_incoming(ir.Constant(ir.IntType(1), 0), no)
        return Value(BOOL, (phi,))

    def branch_on(self, node: ast.expr, yes: ir.Block, no: ir.Block, strict: bool = False) -> None:
        """Jump to one of two blocks; where ``strict``, numbers are no truth values."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.branch_on(node.operand, no, yes)
        elif isinstance(node, ast.BoolOp):
            for part in node.values[:-1]:
                other = self.code.append_basic_block("and" if isinstance(node.op, ast.And) else "or")
                if isinstance(node.op, ast.And):
                    self.branch_on(part, other, no, strict)
                else:
                    self.branch_on(part, yes, other, strict)
                self.builder.position_at_end(other)
            self.branch_on(node.values[-1], yes, no, strict)
        else:
            given = self.value(node)
            if not isinstance(given.kind, Number) or (strict and given.kind is not BOOL):
                raise self.fail("a condition is expected; compare numbers with 0", node)
            self.builder.cbranch(op.truth(self.builder, given), yes, no)

    def expr_ifexp(self, node: ast.IfExp) -> Value:
        yes, no, end = (self.code.append_basic_block(name) for name in ("then", "otherwise", "chosen"))
        self.branch_on(node.test, yes, no)
        values, blocks = [], []
        for block, part in ((yes, node.body), (no, node.orelse)):
            self.builder.position_at_end(block)
            values.append(self.value(part))
            blocks.append(self.builder.block)
        kind = unified(values[0].kind, values[1].kind)
        if kind is None:
            raise self.fail("both values must be of one kind", node)
        given = []
        for value, block in zip(values, blocks, strict=True):
            self.builder.position_at_end(block)
            given.append(self.converted(value, kind))
            self.builder.branch(end)
        self.builder.position_at_end(end)
        words = []
        for first, second, word in zip(given[0].words, given[1].words, words_of(kind), strict=True):
            phi = self.builder.phi(word)
            phi.add_incoming(first, blocks[0])
            phi.add_incoming(second, blocks[1])
            words.append(phi)
        return Value(kind, tuple(words))

    def expr_call(self, node: ast.Call) -> Value | Static:
        from inarow.kernels.lang import builtins

        called = self.static(node.func)
        if called is None:
            raise self.fail("kernels call functions by their names", node)
        known = builtins.KNOWN.get(called) if isinstance(called, (type, *builtins.CALLABLE)) else None
        if known is not None:
            return known(self, node)
        if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
            raise self.fail("kernels call functions with arguments in their order", node)
        if isinstance(called, type) and issubclass(called, tuple) and hasattr(called, "_fields"):
            given = [self.value(argument) for argument in node.args]
            if len(given) != len(called._fields):
                raise self.fail(f"{len(called._fields)} values are expected", node)
            return op.pack(given, called)
        function = function_of(called)
        if function is None:
            raise self.fail(f"kernels can't call {ast.unparse(node.func)}", node)
        return self.call(function, [self.value(argument) for argument in node.args], node)

    def call(self, function: types.FunctionType, given: list[Value], node: ast.AST) -> Value:
        """Call another function."""
        expected = tree_of(function).args.args
        if len(expected) != len(given):
            raise self.fail(f"{function.__name__} takes {len(expected)} arguments", node)
        for i, argument in enumerate(expected):
            kind = annotated_kind(argument.annotation, function.__globals__)
            if isinstance(kind, Number):
                given[i] = self.converted(given[i], kind, node)
        called = self.unit.function(function, tuple(value.kind for value in given))
        words = [word for value in given for word in value.words]
        if self.trap is not None:
            words.insert(0, self.trap)
        found = self.builder.call(called.code, words)
        if self.trap is not None:
            trapped = self.builder.load(self.trap, typ=POINTER)
            left, ok = self.code.append_basic_block("left"), self.code.append_basic_block("ok")
            self.builder.cbranch(self.builder.icmp_unsigned("==", trapped, ir.Constant(POINTER, None)), ok, left)
            self.builder.position_at_end(left)
            self.leave()
            self.builder.position_at_end(ok)
        return op.returned(self.builder, found, called.result)

    def converted(self, value: Value, kind: Kind, node: ast.AST | None = None) -> Value:
        """Convert a value to a kind that is at least as wide."""
        if value.kind == kind:
            return value
        if isinstance(value.kind, TupleOf) and isinstance(kind, TupleOf):
            pairs = zip(op.parts(value), kind.parts, strict=False)
            if len(value.kind.parts) == len(kind.parts):
                return op.pack([self.converted(part, one, node) for part, one in pairs], kind.named)
        elif isinstance(value.kind, Number) and isinstance(kind, Number) and unified(value.kind, kind) == kind:
            return op.convert(self.builder, value, kind)
        raise self.fail(f"{_spoken(kind)} is expected here, not {_spoken(value.kind)}", node)


def _arrays_in(kind: Kind) -> bool:
    return any(map(_arrays_in, kind.parts)) if isinstance(kind, TupleOf) else not isinstance(kind, Number)


def _spoken(kind: Kind) -> str:
    """Return a kind's name for messages."""
    if isinstance(kind, Number):
        return {INT: "an int", FLOAT: "a float", FLOAT32: "a float32", BOOL: "a bool"}[kind]
    if isinstance(kind, TupleOf):
        return kind.named.__name__ if kind.named else f"a tuple of {len(kind.parts)}"
    return {ArrayOf: "an array", Reference: "a record"}.get(type(kind), "None")
