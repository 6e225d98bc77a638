import type { Assignment, Command } from 'unbash'
import type { Frame, InnerShell } from './builtin.ts'
import { redirect, sinkAt } from './descriptors.ts'
import type { Elements, ShellState } from './shell-state.ts'
import { writeText } from './texts.ts'
import { type ExpansionContext, expandIndex, expandText, expandWords } from './words/expand.ts'

/** Carries out a command of words: expands, assigns, redirects, then calls what is named. */
export async function runSimple(shell: InnerShell, node: Command, frame: Frame): Promise<number> {
  const context = shell.context(frame.descriptors)
  shell.state.status = node.name === undefined ? 0 : shell.state.status
  // `export A=b` assigns as an assignment does: without splitting.
  const words = [...(node.name === undefined ? [] : await expandWords([node.name], context))]
  const arrays: { readonly name: string; readonly elements: Elements }[] = []
  for (const argument of node.args) {
    if (argument.type === 'Word') await expandWords([argument], context, words)
    else if (argument.value.type === 'ArrayValue') {
      const before = argument.append === true ? shell.state.elements(argument.name) : []
      arrays.push({ name: argument.name, elements: [...before, ...(await expandWords(argument.value.elements, context))] })
      words.push(argument.name)
    } else words.push(`${argument.name}${argument.append === true ? '+' : ''}=${await expandText(argument.value, context)}`)
  }
  const assignments: [string, string][] = []
  for (const part of node.prefix) {
    if (part.type !== 'Assignment') continue
    if (part.value.type === 'ArrayValue' || part.index !== undefined) {
      await assignElements(shell.state, part, context)
      continue
    }
    const value = await expandText(part.value, context)
    assignments.push([part.name, part.append === true ? (shell.state.get(part.name) ?? '') + value : value])
    if (words.length === 0) shell.state.set(part.name, assignments.at(-1)?.[1] ?? '')
  }
  const descriptors = await redirect(frame.descriptors, node.redirects, context)
  if (shell.state.options.has('x')) {
    const traced = [...assignments.map(([n, v]) => `${n}=${v}`), ...words].join(' ')
    await writeText(sinkAt(frame.descriptors, 2), `+ ${traced}\n`)
  }
  const [name, ...args] = words
  if (name === undefined) return shell.state.status
  const status = await shell.call(name, args, { ...frame, descriptors }, assignments)
  // `local a=(x y)`: the name is declared first, so that the array is the function's own.
  for (const { name, elements } of arrays) shell.state.setElements(name, elements)
  return status
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
