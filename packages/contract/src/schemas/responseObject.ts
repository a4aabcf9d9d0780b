import { z } from 'zod'

/**
 * The schema of an object in a response. A later server may add fields: they are kept at run time, and are not in the
 * type, which would accept every misspelt name.
 */
export function responseObject<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.ZodObject<Shape, z.core.$strip> {
  return z.looseObject(shape) as unknown as z.ZodObject<Shape, z.core.$strip>
}
