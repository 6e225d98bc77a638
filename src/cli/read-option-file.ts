import { messageOf } from '../base/message-of.ts'
import type { Later } from '../base/steps.ts'
import { UsageError } from './report-failure.ts'

/** Reads the file of an option. What is wrong with it is a mistake, in one line that names both. @throws {UsageError} */
export async function readOptionFile<T>(option: string, file: string, read: (file: string) => Later<T>): Promise<T> {
  try {
    return await read(file)
  } catch (error) {
    const [first = '', ...more] = messageOf(error).split('\n')
    const line = more.length === 0 ? first : `${first} …`
    throw new UsageError(`${option}: ${line.includes(file) ? line : `${file}: ${line}`}`, { cause: error })
  }
}
