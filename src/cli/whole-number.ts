import { InvalidArgumentError } from 'commander'

/** The value of a flag that counts. */
export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('give a whole number')
  return Number(text)
}
