/** The static table of RFC 7541, appendix A; `name value`, numbered from 1. */
export const STATIC_TABLE: readonly (readonly [name: string, value: string])[] = [
  ':authority',
  ':method GET',
  ':method POST',
  ':path /',
  ':path /index.html',
  ':scheme http',
  ':scheme https',
  ...['200', '204', '206', '304', '400', '404', '500'].map((code) => `:status ${code}`),
  'accept-charset',
  'accept-encoding gzip, deflate',
  ...'accept-language accept-ranges accept access-control-allow-origin age allow authorization cache-control'.split(' '),
  ...'content-disposition content-encoding content-language content-length content-location content-range content-type'.split(' '),
  ...'cookie date etag expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since'.split(' '),
  ...'last-modified link location max-forwards proxy-authenticate proxy-authorization range referer refresh retry-after'.split(' '),
  ...'server set-cookie strict-transport-security transfer-encoding user-agent vary via www-authenticate'.split(' '),
].map((entry) => {
  const [name = '', ...rest] = entry.split(' ')
  return [name, rest.join(' ')]
})

/** How many bits the code of each byte has (appendix B), as runs of `bits×count`; the 257th is the end of a string. */
const CODE_LENGTHS = [
  '13 23 28×7 24 30 28×2 30 28×8 30 28×9 6 10×2 12 13 6 8 11 10×2 8 11 8 6×3 5×3 6×7 7 8 15 6 12 10 13 6 7×22 8 7 8 13 19 13 14 6',
  '15 5 6 5 6 5 6×3 5 7×2 6×3 5 6 7 6 5×2 6 7×5 15 11 14 13 28 20 22 20×2 22×3 23 22 23×5 24 23 24×2 22 23 24 23×4 21 22 23 22 23×2 24',
  '22 21 20 22×2 23×2 21 23 22×2 24 21 22 23×2 21×2 22 21 23 22 23×2 20 22×3 23 22×2 23 26×2 20 19 22 23 22 25 26×3 27×2 26 24 25',
  '19 21 26 27×2 26 27 24 21×2 26×2 28 27×3 20 24 20 21 22 21×2 23 22×2 25×2 24×2 26 23 26 27 26×2 27×5 28 27×5 26 30',
]
  .join(' ')
  .split(' ')
  .flatMap((run) => {
    const [bits = '', count = '1'] = run.split('×')
    return Array<number>(Number(count)).fill(Number(bits))
  })

/** The byte of each code (256 is the end), by its bits with a 1 before them. The code is canonical: shorter ones first, then by byte. */
export const HUFFMAN_CODES: ReadonlyMap<number, number> = codes()

function codes(): Map<number, number> {
  const byCode = new Map<number, number>()
  let [code, length] = [0, 0]
  const order = CODE_LENGTHS.map((bits, byte) => ({ bits, byte })).sort((a, b) => a.bits - b.bits || a.byte - b.byte)
  for (const { bits, byte } of order) {
    code = code * 2 ** (bits - length)
    length = bits
    byCode.set(code + 2 ** bits, byte)
    code++
  }
  return byCode
}

/** No code has more bits. */
export const LONGEST_CODE = 30
export const END_OF_STRING = 256
