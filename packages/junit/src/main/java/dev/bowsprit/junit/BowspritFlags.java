package dev.bowsprit.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Flags of {@code bowsprit up} for the cluster of a test, or of all tests of a class: {@code @BowspritFlags({"--nodes", "3"})}. */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface BowspritFlags {
  String[] value();
}
