import { resolvePath } from '../../paths.ts'
import type { Input, Process, Program } from '../../processes/process.ts'
import { readLine } from '../../texts.ts'
import { BufferedOutput } from '../buffered-output.ts'
import { eachInput } from '../inputs.ts'
import { LineEditor } from './line-editor.ts'
import { readSedOptions, type SedOptions } from './sed-options.ts'
import { type Edit, parseSedScript } from './sed-script.ts'

/**
 * `sed` with `s`, `d`, `p`, `q`, `a`, `i`, `c`, addresses and ranges, `-n`, `-e`, `-f`, `-E`, `-i`, `-s`. Expressions take linear time
 * (RE2). Its basic expressions are read as extended ones but for `\(`, `\)`, `\+`, `\?`, `\|`, which are turned around.
 */
export const sed: Program = async (process) => {
  const options = readSedOptions(process.argv.slice(1))
  const edits = await readScripts(process, options)
  if (options.inPlace !== undefined) return editInPlace(process, edits, options)
  const output = new BufferedOutput(process.stdout)
  let stream = new LineStream(process, edits, options, output)
  const status = await eachInput(process, options.files, async (input) => {
    await stream.take(input)
    if (!options.separate) return
    await stream.end()
    stream = new LineStream(process, edits, options, output)
  })
  await stream.end()
  await output.flush()
  return status
}

async function readScripts(process: Process, { scripts, extended }: SedOptions): Promise<readonly Edit[]> {
  const edits: Edit[] = []
  for (const script of scripts) {
    const text = script.kind === 'text' ? script.text : Buffer.from(await process.files.read(resolvePath(process.directory, script.name)))
    edits.push(...parseSedScript(text.toString(), extended))
  }
  return edits
}

function editInPlace(process: Process, edits: readonly Edit[], options: SedOptions): Promise<number> {
  return eachInput(process, options.files, async (input, name) => {
    const file = resolvePath(process.directory, name)
    const before = await process.files.read(file)
    const pieces: Uint8Array[] = []
    const output = new BufferedOutput({ write: async (bytes) => void pieces.push(bytes), end: async () => {} })
    const stream = new LineStream(process, edits, options, output)
    await stream.take(input)
    await stream.end()
    await output.flush()
    if (options.inPlace) await process.files.write(`${file}${options.inPlace}`, before)
    await process.files.write(file, Buffer.concat(pieces))
  })
}

/** The lines of one or several inputs. Each is edited when it is known whether it is the last. */
class LineStream {
  readonly #process: Process
  readonly #output: BufferedOutput
  readonly #editor: LineEditor
  #waiting: { readonly line: string; readonly whole: boolean } | undefined
  #over = false
  /** Whether the line that is edited has an end. */
  #whole = true
  /** Whether what was printed last has none yet. */
  #unended = false

  constructor(process: Process, edits: readonly Edit[], { quiet }: SedOptions, output: BufferedOutput) {
    this.#process = process
    this.#output = output
    this.#editor = new LineEditor(edits, quiet, {
      print: (line) => this.#print(line),
      run: (steps) => process.pacer.run(steps, process.signal),
    })
  }

  async take(input: Input): Promise<void> {
    while (!this.#over) {
      const next = await readLine(input, this.#process.signal)
      if (next === undefined) return
      if (this.#waiting !== undefined) await this.#edit(this.#waiting, false)
      this.#waiting = next
    }
  }

  async end(): Promise<void> {
    if (this.#waiting !== undefined && !this.#over) await this.#edit(this.#waiting, true)
    this.#waiting = undefined
  }

  async #edit({ line, whole }: { readonly line: string; readonly whole: boolean }, last: boolean): Promise<void> {
    this.#whole = whole
    if (!(await this.#editor.edit(line, last))) this.#over = true
  }

  /** As GNU sed: what is printed last for a line that has no end has none either. */
  async #print(line: string): Promise<void> {
    await this.#output.write(`${this.#unended ? '\n' : ''}${line}${this.#whole ? '\n' : ''}`)
    this.#unended = !this.#whole
  }
}
