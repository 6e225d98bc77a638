import { createImageTable } from './image-match.ts'
import { STAND_INS } from './shipped/stand-ins.ts'

export const STAND_IN_TABLE = createImageTable(STAND_INS)
