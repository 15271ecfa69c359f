# regression.awk: writes X.csv (60 rows, 8 columns of uniform numbers) and y.csv, where
# y = 1 + 3 x_2 - 2 x_5 + noise. The same numbers everywhere: Lehmer's generator in exact integers.
function uniform() { state = state * 16807 % 2147483647; return state / 2147483647 - 0.5 }
BEGIN {
    state = 1
    for (i = 0; i < 60; i++) {
        for (j = 1; j <= 8; j++) {
            x[j] = uniform()
            printf("%s%.4f", (j > 1 ? "," : ""), x[j]) > "X.csv"
        }
        printf "\n" > "X.csv"
        printf("%.4f\n", 1 + 3 * x[2] - 2 * x[5] + 0.8 * uniform()) > "y.csv"
    }
}
