/**
 * The CRC-32 of a concatenation, from the CRCs of both parts (RFC 1952's polynomial, lowest bit first). A CRC is a polynomial over GF(2);
 * appending `length` bytes multiplies it by x^(8·length).
 */
export function combineCrc32(first: number, second: number, secondLength: number): number {
  return (multiply(powerOfX(secondLength), first) ^ second) >>> 0
}

const POLYNOMIAL = 0xedb88320
const ONE = 0x80000000

function multiply(a: number, b: number): number {
  let product = 0
  let factor = b
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= factor
    factor = (factor & 1) === 0 ? factor >>> 1 : (factor >>> 1) ^ POLYNOMIAL
  }
  return product >>> 0
}

/** x^(2^n). */
const SQUARES: readonly number[] = (() => {
  const found = [0x40000000]
  for (let n = 1; n < 64; n++) found.push(multiply(found[n - 1] ?? 0, found[n - 1] ?? 0))
  return found
})()

/** x^(8·bytes). */
function powerOfX(bytes: number): number {
  let power = ONE
  for (let rest = bytes, n = 3; rest > 0; rest = Math.floor(rest / 2), n++) if (rest % 2 === 1) power = multiply(SQUARES[n] ?? 0, power)
  return power
}
