import { expect, test } from "vitest";
import { addressOf, cookieDomain, cookieText, endText, isTaken } from "./cookie";

const domain = (here: string, there: string): string | null => cookieDomain(new URL(here), new URL(there));

test("a cookie of this host reaches other ports of it", () => {
  expect(domain("http://127.0.0.1:8470", "http://127.0.0.1:8080/cart")).toBe("");
  expect(domain("https://localhost", "https://localhost:8443/")).toBe("");
});

test("hosts of one domain share a cookie of it", () => {
  expect(domain("https://xhprof.example.com", "https://shop.example.com/cart")).toBe("example.com");
  expect(domain("https://xhprof.dev.example.com", "https://shop.dev.example.com/")).toBe("dev.example.com");
});

test("other sites, other schemes and addresses get none", () => {
  expect(domain("https://xhprof.example.com", "https://shop.example.org/")).toBeNull();
  expect(domain("http://shop.example.com", "https://shop.example.com/")).toBeNull();
  expect(domain("http://10.0.0.1", "http://10.1.0.1/")).toBeNull();
  expect(domain("http://localhost", "http://shop.localhost/")).toBeNull();
});

test("the cookie ends by itself, and can be ended", () => {
  const cookie = "XHPROF=a%27b;path=/;SameSite=Strict";
  expect(cookieText(cookie, "")).toBe("XHPROF=a%27b;path=/;SameSite=Strict;Max-Age=120");
  expect(cookieText(cookie, "example.com")).toContain(";Domain=example.com");
  expect(endText("XHPROF=;path=/;Max-Age=0", "example.com")).toBe("XHPROF=;path=/;Max-Age=0;Domain=example.com");
  expect(isTaken("a=1; XHPROF=a%27b", cookie)).toBe(true);
  expect(isTaken("a=1; XHPROF=a%27bc", cookie)).toBe(false);
});

test("only addresses of HTTP are taken", () => {
  expect(addressOf("https://shop.example.com/cart")?.pathname).toBe("/cart");
  for (const text of ["", "/cart", "javascript:alert(1)", "shop.example.com"]) expect(addressOf(text)).toBeNull();
});
