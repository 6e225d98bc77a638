import { decodeJson, hasEscapedKey } from './strict-json.ts'

const LONG_NUMBER = /\d{16}/

/**
 * The value of JSON that a server or another thread wrote. Integers that a double cannot hold become `bigint`; the strict reader is called
 * only where there may be one, for it costs more.
 */
export const sentJson = (text: string): unknown =>
  LONG_NUMBER.test(text) || hasEscapedKey(text) ? decodeJson(text).value : JSON.parse(text)
