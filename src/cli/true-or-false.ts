import { InvalidArgumentError } from 'commander'

/** The value of an option that can be turned off. */
export function trueOrFalse(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('give true or false')
  return text === 'true'
}
