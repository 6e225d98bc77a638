import type { Input, Process } from '../processes/process.ts'
import { lines } from '../texts.ts'
import { BufferedOutput } from './buffered-output.ts'
import { eachInput } from './inputs.ts'

/** Runs `use` with an output that is flushed at the end; resolves with what `use` resolves with. */
export async function withOutput<T>(process: Process, use: (output: BufferedOutput) => Promise<T>): Promise<T> {
  const output = new BufferedOutput(process.stdout)
  const result = await use(output)
  await output.flush()
  return result
}

/**
 * Prints what `change` makes of each line of the files that are named, with the end of a line; nothing for undefined. Resolves with the
 * exit code.
 */
export function mapLines(process: Process, names: readonly string[], change: (line: string) => string | undefined): Promise<number> {
  return withOutput(process, (output) =>
    eachInput(process, names, async (input: Input) => {
      for await (const line of lines(input, process.signal)) {
        const changed = change(line)
        if (changed !== undefined) await output.write(`${changed}\n`)
      }
    }),
  )
}
