import { resolvePath } from '../../paths.ts'
import type { Process, Program } from '../../processes/process.ts'
import { eachPath } from '../inputs.ts'
import { type FindExpression, parseFindExpression } from './find-expression.ts'

async function isLink({ files }: Process, path: string): Promise<boolean> {
  return files.readLink(path).then(
    () => true,
    () => false,
  )
}

/** A folder and all that is in it, what is inside first. */
export async function* within(process: Process, path: string): AsyncGenerator<string> {
  if (!(await isLink(process, path)) && (await process.files.status(path))?.kind === 'directory')
    for (const name of await process.files.list(path)) yield* within(process, resolvePath(path, name))
  yield path
}

/** A file, its printed path, and its depth below the operand. */
interface Visit {
  readonly path: string
  readonly name: string
  readonly depth: number
}

async function visit(process: Process, expression: FindExpression, { path, name, depth }: Visit): Promise<void> {
  process.signal.throwIfAborted()
  const { test, leastDepth, mostDepth, contentsFirst } = expression
  const status = await process.files.status(path)
  const link = await isLink(process, path)
  const look = async () => void (depth >= leastDepth && (await test({ name, path, status, link })))
  if (!contentsFirst) await look()
  if (!link && status?.kind === 'directory' && depth < mostDepth)
    for (const child of await process.files.list(path)) {
      const below = { path: resolvePath(path, child), name: `${name.replace(/\/$/, '')}/${child}`, depth: depth + 1 }
      await visit(process, expression, below)
    }
  if (contentsFirst) await look()
}

/** `find [PATH…] [EXPRESSION]` */
export const find: Program = async (process) => {
  const args = process.argv.slice(1)
  const first = args.findIndex((arg) => arg.startsWith('-') || arg === '!' || arg === '(')
  const roots = first < 0 ? args : args.slice(0, first)
  const expression = parseFindExpression(first < 0 ? [] : args.slice(first), process)
  const status = await eachPath(process, roots.length === 0 ? ['.'] : roots, async (path, name) => {
    if ((await process.files.status(path)) === undefined && !(await isLink(process, path)))
      throw Object.assign(new Error(name), { code: 'ENOENT' })
    await visit(process, expression, { path, name, depth: 0 })
  })
  await expression.finish()
  return status
}
