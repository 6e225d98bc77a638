import assert from 'node:assert/strict'
import { test } from 'node:test'
import { goJsonFault } from './go-json-fault.ts'

test("JSON syntax errors have Go's wording", () => {
  const cases: [text: string, fault: string | undefined][] = [
    ['{}', undefined],
    [' null ', undefined],
    ['', 'unexpected end of JSON input'],
    ['{"a":', 'unexpected end of JSON input'],
    ['i', "invalid character 'i' looking for beginning of value"],
    ['{a}', "invalid character 'a' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 2}', "invalid character '2' after object key:value pair"],
    ['[1 2]', "invalid character '2' after array element"],
    ['{} x', "invalid character 'x' after top-level value"],
    ['nul1', "invalid character '1' in literal null (expecting 'l')"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['[]', 'json: cannot unmarshal array into Go value of type T'],
    ['"a"', 'json: cannot unmarshal string into Go value of type T'],
    ['{"a":[{},[],{"b":[1,2]}],"c":{}}', undefined],
    ['{"a":[1,2}', "invalid character '}' after array element"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    [`{"a":${'['.repeat(9999)}${']'.repeat(9999)}}`, undefined],
    ['['.repeat(1_000_000), "invalid character '[' exceeded max depth"],
    ['-1.5e3', 'json: cannot unmarshal number into Go value of type T'],
  ]
  for (const [text, fault] of cases) assert.equal(goJsonFault(text, 'T'), fault, text.slice(0, 40))
})
