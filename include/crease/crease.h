/* SPDX-License-Identifier: MIT
 * crease.h: structured nonconvex and nonsmooth optimization
 *
 *     minimize    f(x_1, ..., x_N) + r_1(x_1) + ... + r_N(x_N)
 *     subject to  A_1 x_1 + ... + A_N x_N = b,   x_i in X_i
 *
 * Everything that describes a problem is a value: behaviour, parameters, and data that the
 * caller owns. The library never prints, exits, touches signals or reads the environment. */
#ifndef CREASE_CREASE_H
#define CREASE_CREASE_H

#include <crease/analysis.h>
#include <crease/catalogue.h>
#include <crease/certificate.h>
#include <crease/checkpoint.h>
#include <crease/error.h>
#include <crease/map.h>
#include <crease/options.h>
#include <crease/param.h>
#include <crease/penalty.h>
#include <crease/problem.h>
#include <crease/random.h>
#include <crease/reg.h>
#include <crease/regression.h>
#include <crease/rpca.h>
#include <crease/rpca_tools.h>
#include <crease/set.h>
#include <crease/sharing.h>
#include <crease/smooth.h>
#include <crease/solver.h>
#include <crease/source.h>
#include <crease/space.h>
#include <crease/spca.h>
#include <crease/verify.h>
#include <crease/version.h>
#include <crease/watch.h>

#endif
