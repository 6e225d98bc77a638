import type { Command, CommandNode, CompoundList } from 'unbash'
import type { Frame, InnerShell } from './builtin.ts'
import { redirect } from './descriptors.ts'
import { Leaving } from './flow.ts'
import { type FunctionBody, ShellError } from './shell-state.ts'
import { evaluateTest } from './test-expression.ts'
import { evaluateExpression, expandPattern, expandText, expandWords } from './words/expand.ts'
import { compilePattern } from './words/pattern.ts'

/** Carries out what is made of other commands: groups, conditions, loops, cases, tests. */
export async function runCompound(shell: InnerShell, node: Exclude<CommandNode, Command> | FunctionBody, frame: Frame): Promise<number> {
  const list = (body: CompoundList, inner = frame) => shell.list(body.commands, inner)
  const holds = async (clause: CompoundList) => (await list(clause, { ...frame, requested: true })) === 0
  const context = shell.context(frame.descriptors)
  switch (node.type) {
    case 'CompoundList':
      return list(node)
    case 'BraceGroup':
      return list(node.body)
    case 'Subshell':
      return shell.fork(frame.descriptors).runNode({ ...node, type: 'BraceGroup' })
    case 'Redirected':
      return runCompound(shell, node.command, { ...frame, descriptors: await redirect(frame.descriptors, node.redirects, context) })
    case 'Function':
      shell.state.functions.set(await expandText(node.name, context), node.body)
      return 0
    case 'If': {
      for (const { clause, then } of [node, ...node.elif]) if (await holds(clause)) return list(then)
      return node.else === undefined ? 0 : list(node.else)
    }
    case 'While':
      return loop(shell, async () => (await holds(node.clause)) === (node.kind === 'while'), node.body, frame)
    case 'For': {
      const values = (node.wordlist === undefined ? [...shell.state.positional] : await expandWords(node.wordlist, context)).values()
      return loop(
        shell,
        async () => {
          const { value, done } = values.next()
          if (done !== true) shell.state.set(node.name.value, value)
          return done !== true
        },
        node.body,
        frame,
      )
    }
    case 'ArithmeticFor': {
      const value = (e: typeof node.test) => (e === undefined ? 1n : evaluateExpression(e, context))
      await value(node.initialize)
      return loop(
        shell,
        async () => (await value(node.test)) !== 0n,
        node.body,
        frame,
        async () => void (await value(node.update)),
      )
    }
    case 'Case': {
      const word = await expandText(node.word, context)
      let through = false
      for (const { pattern, body, terminator } of node.items) {
        let fits = through
        for (const p of pattern) fits ||= await context.run(compilePattern(await expandPattern(p, context)).fits(word))
        if (!fits) continue
        const status = await list(body)
        if (terminator !== ';&' && terminator !== ';;&') return status
        through = terminator === ';&'
      }
      return 0
    }
    case 'TestCommand':
      return Number(!(await evaluateTest(node.expression, context)))
    case 'ArithmeticCommand':
      return node.expression === undefined ? 1 : Number((await evaluateExpression(node.expression, context)) === 0n)
    case 'Select':
    case 'Coproc':
      throw new ShellError(`${node.type.toLowerCase()}: not there in this shell`)
  }
}

async function loop(
  shell: InnerShell,
  more: () => Promise<boolean>,
  body: CompoundList,
  frame: Frame,
  after = async () => {},
): Promise<number> {
  let status = 0
  while (await more()) {
    await shell.rest()
    try {
      status = await shell.list(body.commands, frame)
    } catch (error) {
      if (!(error instanceof Leaving) || (error.how.kind !== 'break' && error.how.kind !== 'continue')) throw error
      if (error.how.levels > 1) throw new Leaving({ ...error.how, levels: error.how.levels - 1 })
      status = 0
      if (error.how.kind === 'break') break
    }
    await after()
    await shell.runTraps(frame)
  }
  return status
}
