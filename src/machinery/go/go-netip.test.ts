import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressFault, prefixFault } from './go-netip.ts'

const ADDRESSES: readonly (readonly [text: string, fault: string | undefined])[] = [
  ['1.2.3.4', undefined],
  ['::', undefined],
  ['1:2:3:4:5:6:7:8', undefined],
  ['1:2:3:4:5:6:7::', undefined],
  ['::ffff:1.2.3.4', undefined],
  ['fe80::1%eth0', undefined],
  ['', 'unable to parse IP'],
  ['1', 'unable to parse IP'],
  ['%eth0', 'missing IPv6 address'],
  ['1.2.3', 'IPv4 address too short'],
  ['1.2.3.4.5', 'IPv4 address too long'],
  ['1.2.3.256', 'IPv4 field has value >255'],
  ['1.2.3.04', 'IPv4 field has octet with leading zero'],
  ['1..3.4', 'IPv4 field must have at least one digit (at ".3.4")'],
  ['1.2.3.4/8', 'unexpected character (at "/8")'],
  ['fe80::%', 'zone must be a non-empty string'],
  [':', 'each colon-separated field must have at least one digit (at ":")'],
  ['12345::', 'each group must have 4 or less digits (at "12345::")'],
  ['1:2', 'address string too short'],
  ['1:2-3', 'unexpected character, want colon (at "-3")'],
  ['1:2:3:4:5:6:7:', 'colon must be followed by more characters (at ":")'],
  ['1::2::3', 'multiple :: in address (at ":3")'],
  ['1:2:3:4:5:6:7:8:9', 'trailing garbage after address (at "9")'],
  ['1:2:3:4:5:6:7:1.2.3.4', 'embedded IPv4 address must replace the final 2 fields of the address (at "1.2.3.4")'],
  ['::1.2.3', 'IPv4 address too short'],
]
for (const [text, fault] of ADDRESSES)
  test(`the address ${text}`, () => assert.equal(addressFault(text), fault && `ParseAddr("${text}"): ${fault}`))

const PREFIXES: readonly (readonly [text: string, fault: string | undefined])[] = [
  ['1.2.3.4/8', undefined],
  ['::/128', undefined],
  ['1.2.3.4', "no '/'"],
  ['1.2.3.4/', 'bad bits after slash: ""'],
  ['1.2.3.4/08', 'bad bits after slash: "08"'],
  ['1.2.3.4/-1', 'bad bits after slash: "-1"'],
  ['1.2.3.4/33', 'prefix length out of range'],
  ['x/8', 'ParseAddr("x"): unable to parse IP'],
  ['fe80::1%eth0/64', 'IPv6 zones cannot be present in a prefix'],
]
for (const [text, fault] of PREFIXES)
  test(`the network ${text}`, () => assert.equal(prefixFault(text), fault && `netip.ParsePrefix("${text}"): ${fault}`))
