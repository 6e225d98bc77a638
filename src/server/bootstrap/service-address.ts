/** `10.0.0.0/24` → `10.0.0.1`: the address of the service `kubernetes`. */
export function firstServiceAddress(cidr: string): string {
  const [address = '', bits = '32'] = cidr.split('/')
  const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
  const size = 2 ** (32 - Number(bits))
  const first = Math.floor(number / size) * size + 1
  return [24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256).join('.')
}
