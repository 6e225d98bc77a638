import type { Assignment, Command } from 'unbash'
import type { Frame, InnerShell } from './builtin.ts'
import { redirect, sinkAt } from './descriptors.ts'
import { ShellError, type ShellState } from './shell-state.ts'
import { writeText } from './texts.ts'
import { type ExpansionContext, expandIndex, expandText, expandWords } from './words/expand.ts'

/** Carries out a command of words: expands, assigns, redirects, then calls what is named. */
export async function runSimple(shell: InnerShell, node: Command, frame: Frame): Promise<number> {
  const context = shell.context(frame.descriptors)
  shell.state.status = node.name === undefined ? 0 : shell.state.status
  // `export A=b` assigns as an assignment does: without splitting.
  const words = [...(node.name === undefined ? [] : await expandWords([node.name], context))]
  for (const argument of node.args) {
    if (argument.type === 'Word') words.push(...(await expandWords([argument], context)))
    else words.push(`${argument.name}${argument.append === true ? '+' : ''}=${await assigned(argument.value, context)}`)
  }
  const assignments: [string, string][] = []
  for (const part of node.prefix) {
    if (part.type !== 'Assignment') continue
    if (part.value.type === 'ArrayValue' || part.index !== undefined) {
      await assignElements(shell.state, part, context)
      continue
    }
    const value = await assigned(part.value, context)
    assignments.push([part.name, part.append === true ? (shell.state.get(part.name) ?? '') + value : value])
    if (words.length === 0) shell.state.set(part.name, assignments.at(-1)?.[1] ?? '')
  }
  const descriptors = await redirect(frame.descriptors, node.redirects, context)
  if (shell.state.options.has('x')) {
    const told = [...assignments.map(([n, v]) => `${n}=${v}`), ...words].join(' ')
    await writeText(sinkAt(frame.descriptors, 2), `+ ${told}\n`)
  }
  const [name, ...args] = words
  if (name === undefined) return shell.state.status
  return shell.call(name, args, { ...frame, descriptors }, assignments)
}

/** `a=(x y)`, `a+=(z)`, `a[1]=x`. */
async function assignElements(
  state: ShellState,
  { name, value, append = false, index }: Assignment,
  context: ExpansionContext,
): Promise<void> {
  if (value.type === 'ArrayValue') {
    const elements = await expandWords(value.elements, context)
    return state.setElements(name, append ? [...state.elements(name), ...elements] : elements)
  }
  if (index === undefined) return
  const at = await expandIndex(index, context)
  const before = append ? (state.elements(name)[at] ?? '') : ''
  state.setElement(name, at, before + (await expandText(value, context)))
}

function assigned(value: Parameters<typeof expandText>[0] | { readonly type: 'ArrayValue' }, context: ExpansionContext): Promise<string> {
  if (value.type === 'ArrayValue') throw new ShellError('an array cannot be given to a command')
  return expandText(value, context)
}
