"""From Python's syntax tree to LLVM's language: statements and expressions of kernels.

One walk over the tree of each function. Every value is a few machine words (see `kinds`); a variable is a place on the
stack for each word, which LLVM turns into registers. A function is translated once for each list of argument kinds.
What is allowed, and what it means: docs/kernels.md. Operations are in `operations`, calls of known functions in
`builtins`.
"""

from __future__ import annotations

import ast
import builtins as python
import functools
import linecache
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from llvmlite import ir

from inarow import bits
from inarow.errors import InarowError
from inarow.kernels.lang import operations as op
from inarow.kernels.lang.jit import function_of
from inarow.kernels.lang.kinds import (
    BOOL,
    FLOAT,
    FLOAT32,
    INT,
    NONE,
    ArrayOf,
    Content,
    FunctionOf,
    Kind,
    Reference,
    Scalar,
    Struct,
    TupleOf,
    annotated_kinds,
    class_kind,
    parameter_kinds,
    result_kind,
    unified,
)
from inarow.kernels.lang.operations import BIT, POINTER, WORD, Value, words_of


class KernelError(InarowError):
    """A function that can't be compiled: where, which expression, and why."""

    def __init__(self, function: Callable[..., Any], node: ast.AST, reason: str) -> None:
        file = Path(function.__code__.co_filename).name
        line = getattr(node, "lineno", function.__code__.co_firstlineno)
        text = "" if isinstance(node, ast.FunctionDef) else f"{ast.unparse(node).splitlines()[0]}: "
        super().__init__(f"{file}:{line}: {text}{reason}")


@functools.cache
def _functions_in(file: str) -> dict[int, ast.FunctionDef]:
    """Return the functions of a file by the line at which they begin, decorators included."""
    tree = ast.parse("".join(linecache.getlines(file)), file)
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return {min([node.lineno, *(part.lineno for part in node.decorator_list)]): node for node in found}


def tree_of(function: Callable[..., Any]) -> ast.FunctionDef:
    """Return the syntax tree of a function."""
    code = function.__code__
    tree = _functions_in(code.co_filename).get(code.co_firstlineno)
    if tree is None or tree.name != function.__name__:
        raise InarowError(f"{function.__name__} can't be compiled: its source is not in a file")
    return tree


class Static:
    """A value known at compile time: a module, a class or a function."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Unit:
    """A kernel and all that it calls, as one module."""

    def __init__(self, checked: bool, hosted: bool = False, traced: bool = False) -> None:
        self.module = ir.Module()
        self.checked = checked
        """True if indices are checked against the lengths of arrays."""
        self.hosted = hosted
        """True if kernels ask the host whether to stop, because it can't raise the flag while a kernel runs."""
        self.traced = traced
        """True if events are sent to the host."""
        self._functions: dict[tuple[Any, ...], tuple[ir.Function, Kind]] = {}
        self._texts: dict[str, ir.GlobalVariable] = {}

    def function(self, python_function: Callable[..., Any], kinds: tuple[Kind, ...]) -> tuple[ir.Function, Kind]:
        """Return the translation of a function for arguments of these kinds, and the kind of its result."""
        tree, parameters = tree_of(python_function), parameter_kinds(python_function, kinds)
        kinds = tuple(parameters.values())
        key = (python_function, kinds)
        if key not in self._functions:
            result = result_kind(python_function, parameters)
            if result is None:
                raise KernelError(python_function, tree, "the annotation of its result must say what it is")
            given = [POINTER] * self.checked + [word for kind in kinds for word in words_of(kind)]
            name = f"{python_function.__module__}.{python_function.__qualname__}.{len(self._functions)}"
            code = ir.Function(self.module, ir.FunctionType(op.result_type(result), given), name)
            code.linkage = "internal"
            code.attributes.add("nounwind")
            if "out_of_line" in python_function.__dict__:
                code.attributes.add("noinline")
                code.attributes.add("optsize")
            self._functions[key] = code, result
            _Body(self, python_function, code, result).write(tree, kinds)
        return self._functions[key]

    def text(self, content: str) -> ir.Value:
        """Return the address of a string that ends with a zero byte."""
        if content not in self._texts:
            data = bytearray(content.encode() + b"\0")
            kind = ir.ArrayType(op.BYTE, len(data))
            variable = ir.GlobalVariable(self.module, kind, f"text.{len(self._texts)}")
            variable.linkage, variable.global_constant = "internal", True
            variable.initializer = ir.Constant(kind, data)
            self._texts[content] = variable
        return self._texts[content]


class _Loop:
    """The targets of ``break`` and ``continue``, and the variables known at each ``break``."""

    def __init__(self, again: ir.Block, end: ir.Block) -> None:
        self.again, self.end = again, end
        self.breaks: list[set[str]] = []


class _Body:
    """Writes the body of one function."""

    def __init__(self, unit: Unit, function: Callable[..., Any], code: ir.Function, result: Kind) -> None:
        self.unit, self.python, self.code, self.result = unit, function, code, result
        self.slots: dict[str, tuple[Kind, list[ir.Value]]] = {}
        """The kind of each variable, and the places of its words."""
        self.known: set[str] = set()
        """The variables that are assigned on every way to here."""
        self.loops: list[_Loop] = []
        self.local: set[str] = set()
        self.start = code.append_basic_block("start")
        self.builder = ir.IRBuilder(code.append_basic_block("body"))
        self.trap = code.args[0] if unit.checked else None

    def fail(self, reason: str, node: ast.AST | None = None) -> KernelError:
        """Return the error for an expression or statement that can't be compiled."""
        return KernelError(self.python, node or self.node, reason)

    def write(self, tree: ast.FunctionDef, kinds: tuple[Kind, ...]) -> None:
        """Write the function."""
        self.node: ast.AST = tree
        names = [argument.arg for argument in tree.args.args]
        stored = (node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
        self.local.update(names, stored)
        given = iter(self.code.args[self.unit.checked :])
        for name, kind in zip(names, kinds, strict=True):
            self.assign_name(name, Value(kind, tuple(next(given) for _ in words_of(kind))))
        self.block(tree.body)
        if not self.builder.block.is_terminated:
            if self.result != NONE:
                raise self.fail(f"{self.python.__name__} may end without returning a value", tree)
            self.builder.ret_void()
        ir.IRBuilder(self.start).branch(self.code.blocks[1])

    def blocks(self, *names: str) -> list[ir.Block]:
        """Return new blocks of code."""
        return [self.code.append_basic_block(name) for name in names]

    # Statements.

    def block(self, statements: list[ast.stmt]) -> None:
        """Translate statements in turn; those after a jump are never reached."""
        for statement in statements:
            if self.builder.block.is_terminated:
                return
            self.node = statement
            self.method("stmt", statement)(statement)

    def method(self, prefix: str, node: ast.AST) -> Any:
        """Return the method that translates this type of node."""
        found = getattr(self, f"{prefix}_{type(node).__name__.lower()}", None)
        if found is None:
            raise self.fail(f"kernels have no {type(node).__name__}", node)
        return found

    def stmt_expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.expression(node.value)

    def stmt_assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self.assign(target, value)

    def stmt_annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            value, kind = self.value(node.value), None
            if isinstance(node.annotation, ast.Name):
                kind = class_kind(getattr(python, node.annotation.id, None))
            self.assign(node.target, value if kind is None else self.converted(value, kind))

    def stmt_augassign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            left = self.load_name(node.target)
            self.assign(node.target, self.operate(node.op, left, self.value(node.value), node))
        else:
            place, content = self.place(node.target)
            left = op.read(self.builder, place, content)
            self.store(place, content, self.operate(node.op, left, self.value(node.value), node))

    def stmt_return(self, node: ast.Return) -> None:
        value = Value(NONE, ()) if node.value is None else self.value(node.value)
        self.give_back(self.converted(value, self.result).words)

    def give_back(self, words: tuple[ir.Value, ...]) -> None:
        """Return words from the function."""
        if len(words) < 2:
            self.builder.ret(words[0]) if words else self.builder.ret_void()
            return
        whole: ir.Value = ir.Constant(self.code.function_type.return_type, ir.Undefined)
        for i, word in enumerate(words):
            whole = self.builder.insert_value(whole, word, i)
        self.builder.ret(whole)

    def decided(self, test: ast.expr) -> bool | None:
        """Return the value of ``x is None``, ``x is not None`` or ``isinstance(x, T)``, known from the kind of x; for
        other conditions None."""
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            return False if any(self.decided(part) is False for part in test.values) else None
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            decided = self.decided(test.operand)
            return None if decided is None else not decided
        if isinstance(test, ast.Call) and self.static(test.func) is isinstance:
            named, wanted = getattr(self.value(test.args[0]).kind, "named", None), self.static(test.args[1])
            return named in wanted if isinstance(wanted, tuple) else named is wanted
        if not (isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Is, ast.IsNot))):
            return None
        if not (isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value is None):
            raise self.fail("kernels use `is` with None only", test)
        return (self.value(test.left).kind == NONE) == isinstance(test.ops[0], ast.Is)

    def stmt_if(self, node: ast.If) -> None:
        decided = self.decided(node.test)
        if decided is not None:
            self.block(node.body if decided else node.orelse)
            return
        yes, no, end = self.blocks("if", "else", "endif")
        self.branch_on(node.test, yes, no)
        before, ways = self.known, []
        for block, statements in ((yes, node.body), (no, node.orelse)):
            self.builder.position_at_end(block)
            self.known = set(before)
            self.block(statements)
            if not self.builder.block.is_terminated:
                ways.append(self.known)
                self.builder.branch(end)
        self.join(end, ways)

    def join(self, block: ir.Block, ways: list[set[str]]) -> None:
        """Continue where several ways meet: a variable is known if it is known on all of them."""
        self.builder.position_at_end(block)
        if not ways:
            self.builder.unreachable()
        self.known = set.intersection(*ways) if ways else set()

    def stmt_while(self, node: ast.While) -> None:
        head, body, end = self.blocks("while", "do", "endwhile")
        self.builder.branch(head)
        self.builder.position_at_end(head)
        forever = isinstance(node.test, ast.Constant) and node.test.value is True
        if forever:
            self.builder.branch(body)
        else:
            self.branch_on(node.test, body, end)
        self.builder.position_at_end(body)
        self.loop(node, _Loop(head, end), [] if forever else [set(self.known)])

    def stmt_for(self, node: ast.For) -> None:
        over, given = (self.static(node.iter.func), node.iter.args) if isinstance(node.iter, ast.Call) else (None, [])
        if over is range:
            self.for_range(node, given)
        elif over in (bits.each_bit, bits.each_index):
            self.for_each(node, self.converted(self.value(given[0]), INT), over is bits.each_index)
        else:
            raise self.fail("kernels loop over range(…), each_bit(…) or each_index(…)", node.iter)

    def for_range(self, node: ast.For, arguments: list[ast.expr]) -> None:
        """Translate a loop over a range."""
        limits = [self.converted(self.value(argument), INT).word for argument in arguments]
        start, stop = (WORD(0), limits[0]) if len(limits) == 1 else limits[:2]
        step = limits[2] if len(limits) == 3 else WORD(1)
        if not isinstance(step, ir.Constant) or step.constant == 0:
            raise self.fail("the step of a range must be a constant other than 0", node.iter)
        builder, counter = self.builder, self.allocate(WORD)
        head, body, again, end = self.blocks("for", "do", "next", "endfor")
        builder.store(start, counter)
        builder.branch(head)
        builder.position_at_end(head)
        now = builder.load(counter, typ=WORD)
        builder.cbranch(builder.icmp_signed("<" if step.constant > 0 else ">", now, stop), body, end)
        builder.position_at_end(again)
        flags = ("nsw",) if abs(step.constant) == 1 else ()
        builder.store(builder.add(now, step, flags=flags), counter)
        builder.branch(head)
        builder.position_at_end(body)
        before = set(self.known)
        self.assign(node.target, Value(INT, (now,)))
        self.loop(node, _Loop(again, end), [before])

    def for_each(self, node: ast.For, cells: Value, by_index: bool) -> None:
        """Translate a loop over the bits of a set, lowest first, or over their indices."""
        builder, rest = self.builder, self.allocate(WORD)
        builder.store(cells.word, rest)
        head, body, end = self.blocks("for", "do", "endfor")
        builder.branch(head)
        builder.position_at_end(head)
        now = builder.load(rest, typ=WORD)
        builder.cbranch(builder.icmp_signed("!=", now, WORD(0)), body, end)
        builder.position_at_end(body)
        before = set(self.known)
        if by_index:
            self.assign(node.target, Value(INT, (builder.cttz(now, BIT(0)),)))
            builder.store(builder.and_(now, builder.sub(now, WORD(1))), rest)
        else:
            bit = builder.and_(now, builder.neg(now))
            builder.store(builder.xor(now, bit), rest)
            self.assign(node.target, Value(INT, (bit,)))
        self.loop(node, _Loop(head, end), [before])

    def loop(self, node: ast.While | ast.For, loop: _Loop, ways: list[set[str]]) -> None:
        """Translate the body of a loop and continue after it; ``ways``: variables known when its condition ends it."""
        if node.orelse:
            raise self.fail("loops have no else")
        self.loops.append(loop)
        self.block(node.body)
        self.loops.pop()
        if not self.builder.block.is_terminated:
            self.builder.branch(loop.again)
        self.join(loop.end, ways + loop.breaks)

    def stmt_break(self, node: ast.Break) -> None:
        self.loops[-1].breaks.append(self.known)
        self.builder.branch(self.loops[-1].end)

    def stmt_continue(self, node: ast.Continue) -> None:
        self.builder.branch(self.loops[-1].again)

    # Variables and places.

    def allocate(self, kind: ir.Type, count: int = 1) -> ir.Value:
        """Reserve room on the stack for as long as the function runs."""
        return op.reserve(ir.IRBuilder(self.start), kind, count)

    def assign(self, target: ast.expr, value: Value) -> None:
        """Assign to a name, an element, a field, or a tuple of them."""
        if isinstance(target, ast.Name):
            self.assign_name(target.id, value)
        elif isinstance(target, ast.Tuple):
            if not isinstance(value.kind, TupleOf) or len(value.kind.parts) != len(target.elts):
                raise self.fail(f"expected a tuple of {len(target.elts)} values", target)
            for part, one in zip(target.elts, op.parts(value), strict=True):
                self.assign(part, one)
        else:
            self.store(*self.place(target), value)

    def assign_name(self, name: str, value: Value) -> None:
        """Assign to a variable, whose first assignment says what kind it is of."""
        if name not in self.slots:
            self.slots[name] = value.kind, [self.allocate(word) for word in words_of(value.kind)]
        kind, places = self.slots[name]
        for word, place in zip(self.converted(value, kind).words, places, strict=True):
            self.builder.store(word, place)
        self.known.add(name)

    def load_name(self, node: ast.Name) -> Value:
        """Return the value of a variable."""
        if node.id not in self.known:
            raise self.fail(f"{node.id} is not assigned on every way to here", node)
        kind, places = self.slots[node.id]
        words = zip(places, words_of(kind), strict=True)
        return Value(kind, tuple(self.builder.load(place, typ=word) for place, word in words))

    def store(self, place: ir.Value, content: Content, value: Value) -> None:
        """Write a value to memory."""
        if isinstance(content, Struct) and value.kind == Reference(content):
            op.copy(self.builder, place, value.word, content.size)
        elif not isinstance(content, Scalar) or not isinstance(value.kind, Scalar):
            raise self.fail("expected a number")
        elif content.kind in (INT, BOOL) and value.kind in (FLOAT, FLOAT32):
            raise self.fail("a float can't be stored as an integer; use int(…)")
        else:
            op.store(self.builder, place, content, value)

    def place(self, node: ast.expr) -> tuple[ir.Value, Content]:
        """Return the address of an element or field, and what is there."""
        if isinstance(node, ast.Attribute):
            return self.field(self.value(node.value), node.attr, node)
        if not isinstance(node, ast.Subscript):
            raise self.fail("kernels assign to names, elements and fields", node)
        whole = self.value(node.value)
        found, rest = self.element(whole, node)
        if rest:
            raise self.fail(f"expected {len(rest)} more indices", node)
        return found, whole.kind.element  # type: ignore[union-attr]

    def field(self, whole: Value, name: str, node: ast.AST) -> tuple[ir.Value, Content]:
        """Return the address of a field of a record, and what is there."""
        found = whole.kind.struct.find(name) if isinstance(whole.kind, Reference) else None
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
            raise self.fail(f"expected {whole.kind.ndim} indices", node)
        given = []
        for index, length in zip(indices, whole.words[1:], strict=False):
            given.append(self.converted(self.value(index), INT, index).word)
            self.check(self.builder.icmp_unsigned("<", given[-1], length), "index out of range", node)
        return op.element(self.builder, whole, given), whole.words[1 + len(given) :]

    def check(self, sound: ir.Value, reason: str, node: ast.AST) -> None:
        """In checked kernels: leave a message for the entry to raise, and return, unless this holds."""
        if self.trap is not None:
            failed, ok = self.blocks("failed", "ok")
            self.builder.cbranch(sound, ok, failed)
            self.builder.position_at_end(failed)
            self.builder.store(self.unit.text(str(self.fail(reason, node))), self.trap)
            self.leave()
            self.builder.position_at_end(ok)

    def leave(self) -> None:
        """Return zeros: the caller looks at the trap."""
        self.give_back(tuple(ir.Constant(word, None) for word in words_of(self.result)))

    # Expressions.

    def value(self, node: ast.expr) -> Value:
        """Translate an expression that is a number, a tuple, an array, a record or a function."""
        found = self.expression(node)
        if isinstance(found, Static):
            function = function_of(found.value)
            if function is None:
                raise self.fail(f"{ast.unparse(node)} is no value", node)
            return Value(FunctionOf(function), ())
        return found

    def expression(self, node: ast.expr) -> Value | Static:
        """Translate an expression."""
        found: Value | Static = self.method("expr", node)(node)
        return found

    def static(self, node: ast.expr) -> Any:
        """Return what an expression is when the kernel is compiled, or None."""
        if not isinstance(node, (ast.Attribute, ast.Name)):
            return None
        found = self.expression(node)
        if isinstance(found, Static):
            return found.value
        return found.kind.function if isinstance(found.kind, FunctionOf) else None

    def constant(self, value: Any, node: ast.AST) -> Value | Static:
        """Return a Python value that is known when the kernel is compiled."""
        if value is None:
            return Value(NONE, ())
        if isinstance(value, (bool, np.bool_)):
            return Value(BOOL, (op.BIT(int(value)),))
        if isinstance(value, (int, np.integer)):
            if not -(1 << 63) <= int(value) < 1 << 63:
                raise self.fail("the number has more than 64 bits", node)
            return Value(INT, (WORD(int(value)),))
        if isinstance(value, np.float32):
            return Value(FLOAT32, (op.SINGLE(float(value)),))
        return Value(FLOAT, (op.DOUBLE(value),)) if isinstance(value, float) else Static(value)

    def expr_constant(self, node: ast.Constant) -> Value | Static:
        return self.constant(node.value, node)

    def expr_name(self, node: ast.Name) -> Value | Static:
        if node.id in self.local:
            return self.load_name(node)
        for scope in (self.python.__globals__, vars(python)):
            if node.id in scope:
                return self.constant(scope[node.id], node)
        raise self.fail(f"{node.id} is not defined", node)

    def expr_attribute(self, node: ast.Attribute) -> Value | Static:
        whole = self.expression(node.value)
        if isinstance(whole, Static):
            if not hasattr(whole.value, node.attr):
                raise self.fail(f"there is no {ast.unparse(node)}", node)
            return self.constant(getattr(whole.value, node.attr), node)
        names: tuple[str, ...] = getattr(getattr(whole.kind, "named", None), "_fields", ())
        if node.attr in names:
            return op.parts(whole)[names.index(node.attr)]
        if isinstance(whole.kind, ArrayOf) and node.attr == "shape":
            return op.pack([Value(INT, (length,)) for length in whole.words[1:]], None)
        if isinstance(whole.kind, ArrayOf) and node.attr == "dtype" and isinstance(whole.kind.element, Scalar):
            return Static(np.dtype(whole.kind.element.name))
        return op.read(self.builder, *self.field(whole, node.attr, node))

    def expr_subscript(self, node: ast.Subscript) -> Value:
        whole = self.value(node.value)
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
        if isinstance(node.op, ast.USub) and given.kind in (FLOAT, FLOAT32):
            return Value(given.kind, (self.builder.fneg(given.word),))
        word = self.converted(given, INT, node).word
        if isinstance(node.op, ast.USub):
            return Value(INT, (WORD(-word.constant) if isinstance(word, ir.Constant) else self.builder.neg(word),))
        if not isinstance(node.op, ast.Invert):
            raise self.fail("kernels have the signs -, ~ and not", node)
        return Value(INT, (self.builder.not_(word),))

    def expr_binop(self, node: ast.BinOp) -> Value:
        return self.operate(node.op, self.value(node.left), self.value(node.right), node)

    def operate(self, sign: ast.operator, left: Value, right: Value, node: ast.AST) -> Value:
        """Apply an arithmetic operation."""
        if not (isinstance(left.kind, Scalar) and isinstance(right.kind, Scalar)):
            raise self.fail("expected numbers", node)
        if isinstance(sign, (ast.FloorDiv, ast.Mod)) and right.kind is INT and not isinstance(right.word, ir.Constant):
            self.check(self.builder.icmp_signed("!=", right.word, WORD(0)), "division by zero", node)
        found = op.arithmetic(self.builder, sign, left, right)
        if found is None:
            raise self.fail(f"kernels have no {type(sign).__name__} of {left.kind.name} and {right.kind.name}", node)
        return found

    def expr_compare(self, node: ast.Compare) -> Value:
        if len(node.ops) != 1:
            raise self.fail("compare two values at a time", node)
        found = op.comparison(self.builder, node.ops[0], self.value(node.left), self.value(node.comparators[0]))
        if found is None:
            raise self.fail("kernels compare numbers by <, <=, ==, !=, >= and >", node)
        return Value(BOOL, (found,))

    def expr_boolop(self, node: ast.BoolOp) -> Value:
        return self.truth_value(node)

    def truth_value(self, node: ast.expr) -> Value:
        """Return the truth of a condition; ``and`` and ``or`` evaluate only what they need."""
        yes, no, end = self.blocks("true", "false", "truth")
        self.branch_on(node, yes, no, strict=isinstance(node, ast.BoolOp))
        for block in (yes, no):
            self.builder.position_at_end(block)
            self.builder.branch(end)
        self.builder.position_at_end(end)
        return Value(BOOL, (op.phi(self.builder, (op.BIT(1), yes), (op.BIT(0), no)),))

    def branch_on(self, node: ast.expr, yes: ir.Block, no: ir.Block, strict: bool = False) -> None:
        """Jump to one of two blocks; where ``strict``, numbers are no truth values."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.branch_on(node.operand, no, yes)
        elif isinstance(node, ast.BoolOp):
            for part in node.values[:-1]:
                (other,) = self.blocks("or" if isinstance(node.op, ast.Or) else "and")
                if isinstance(node.op, ast.And):
                    self.branch_on(part, other, no, strict)
                else:
                    self.branch_on(part, yes, other, strict)
                self.builder.position_at_end(other)
            self.branch_on(node.values[-1], yes, no, strict)
        elif (decided := self.decided(node)) is not None:
            self.builder.branch(yes if decided else no)
        else:
            given = self.value(node)
            if not isinstance(given.kind, Scalar) or (strict and given.kind is not BOOL):
                raise self.fail("expected a condition; compare numbers with 0", node)
            self.builder.cbranch(op.truth(self.builder, given), yes, no)

    def expr_ifexp(self, node: ast.IfExp) -> Value:
        decided = self.decided(node.test)
        if decided is not None:
            return self.value(node.body if decided else node.orelse)
        yes, no, end = self.blocks("then", "otherwise", "chosen")
        self.branch_on(node.test, yes, no)
        values, blocks = [], []
        for block, part in ((yes, node.body), (no, node.orelse)):
            self.builder.position_at_end(block)
            values.append(self.value(part))
            blocks.append(self.builder.block)
        kind = unified(values[0].kind, values[1].kind)
        if kind is None:
            raise self.fail("both values must be of one kind", node)
        words = []
        for value, block in zip(values, blocks, strict=True):
            self.builder.position_at_end(block)
            words.append([(word, block) for word in self.converted(value, kind).words])
            self.builder.branch(end)
        self.builder.position_at_end(end)
        return Value(kind, tuple(op.phi(self.builder, *pair) for pair in zip(*words, strict=True)))

    def expr_call(self, node: ast.Call) -> Value:
        from inarow.kernels.lang import builtins

        called = self.static(node.func)
        known = builtins.KNOWN.get(called) if isinstance(called, builtins.CALLABLE) else None
        if known is not None:
            return known(self, node)
        given = [self.value(argument) for argument in node.args]
        if isinstance(called, type) and issubclass(called, tuple) and hasattr(called, "_fields"):
            if len(given) != len(called._fields):
                raise self.fail(f"expected {len(called._fields)} values", node)
            return op.pack(given, called)
        function = function_of(called)
        if function is None or node.keywords:
            raise self.fail(f"kernels can't call {ast.unparse(node.func)}", node)
        return self.call(function, given, node)

    def call(self, function: Callable[..., Any], given: list[Value], node: ast.AST) -> Value:
        """Call another function."""
        expected, fixed = tree_of(function).args.args, annotated_kinds(function)
        if len(expected) != len(given):
            raise self.fail(f"{function.__name__} takes {len(expected)} arguments", node)
        for i, argument in enumerate(expected):
            kind = fixed.get(argument.arg)
            if isinstance(kind, Scalar):
                given[i] = self.converted(given[i], kind, node)
        code, result = self.unit.function(function, tuple(value.kind for value in given))
        words = [word for value in given for word in value.words]
        found = self.builder.call(code, words if self.trap is None else [self.trap, *words])
        if self.trap is not None:
            left, ok = self.blocks("left", "ok")
            trapped = self.builder.load(self.trap, typ=POINTER)
            self.builder.cbranch(self.builder.icmp_unsigned("==", trapped, ir.Constant(POINTER, None)), ok, left)
            self.builder.position_at_end(left)
            self.leave()
            self.builder.position_at_end(ok)
        return op.returned(self.builder, found, result)

    def converted(self, value: Value, kind: Kind, node: ast.AST | None = None) -> Value:
        """Convert a value to a kind that is at least as wide."""
        if value.kind == kind:
            return value
        if isinstance(value.kind, TupleOf) and isinstance(kind, TupleOf) and len(value.kind.parts) == len(kind.parts):
            pairs = zip(op.parts(value), kind.parts, strict=True)
            return op.pack([self.converted(part, one, node) for part, one in pairs], kind.named)
        if isinstance(value.kind, Scalar) and isinstance(kind, Scalar) and unified(value.kind, kind) == kind:
            return op.convert(self.builder, value, kind)
        raise self.fail(f"expected {kind.spoken}, got {value.kind.spoken}", node)
