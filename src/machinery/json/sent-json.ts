import { decodeJson, parseWrittenJson } from './strict-json.ts'

const LONG_NUMBER = /\d{16}/

/**
 * Parses JSON that a server or another thread wrote. Integers beyond 2^53 become `bigint`; the slower strict parser is used only if the
 * text may contain one.
 */
export const sentJson = (text: string): unknown => (LONG_NUMBER.test(text) ? decodeJson(text).value : parseWrittenJson(text))
